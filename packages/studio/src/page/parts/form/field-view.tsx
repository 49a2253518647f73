// Shows a form field and the fields inside it.
import type { ComponentChildren } from 'preact'
import type { Field, ListField, ObjectField, UnionField } from '../../model/schema-form/field.js'
import { joinPath, problemsAt } from '../../model/schema-form/form.js'
import {
  type FormState,
  itemField,
  nodeOf,
  otherField,
  presentState,
  stateOf,
} from '../../model/schema-form/form-state.js'
import { writeJson } from '../../model/schema-form/json-node.js'
import { Control, hasOwnAbsence } from './controls.js'
import { useFormContext } from './form-context.js'

export interface FieldViewProps {
  readonly field: Field
  readonly state: FormState
  /** The path of the field's value, such as `tags.0`. Empty for the entire form. */
  readonly path: string
  /** The field's path in the schema, in the form that findings use, such as `tags[]`. */
  readonly place: string
  /** The name to show. Absent for the entire form. */
  readonly name?: string
  readonly isRequired?: boolean
  readonly onChange: (state: FormState) => void
  /** Buttons to show next to the name. */
  readonly children?: ComponentChildren
}

/** Shows a field: its name, control, description and problems, and the fields inside it. */
export function FieldView(props: FieldViewProps) {
  const { field, state, path, name, isRequired = true } = props
  const { id } = useFormContext()
  if (name === undefined && isGroup(field) && state.is !== 'json') return <Parts {...props} />
  const at = `${id}-${path || 'whole'}`
  const isNested = isGroup(field) && (state.is === 'object' || state.is === 'list' || state.is === 'union')
  const label = (
    <>
      {name ?? 'Arguments'}
      {isRequired && name !== undefined && <abbr title="required">*</abbr>}
    </>
  )
  const head = (
    <>
      <span class="form-type">{typeWords(field)}</span>
      {!hasOwnAbsence(field) && <Presence {...props} />}
      {props.children}
    </>
  )
  if (isNested) {
    return (
      <fieldset class="form-field form-group" id={at}>
        <legend>{label}</legend>
        <div class="form-head">{head}</div>
        <Notes {...props} />
        <Parts {...props} />
      </fieldset>
    )
  }
  const isOpen = state.is !== 'absent' || hasOwnAbsence(field) || isRequired
  return (
    <div class="form-field">
      <div class="form-head">
        <label for={isOpen && state.is !== 'null' ? at : undefined}>{label}</label>
        {head}
      </div>
      {isOpen && state.is !== 'null' && <Control {...props} id={at} />}
      <Notes {...props} />
    </div>
  )
}

function isGroup(field: Field): field is ObjectField | ListField | UnionField {
  return field.kind === 'object' || field.kind === 'list' || field.kind === 'union'
}

function typeWords(field: Field): string {
  const words = [typeOf(field), field.default ? `default ${writeJson(field.default)}` : '']
  return words.filter(Boolean).join(', ')
}

function typeOf(field: Field): string {
  if (field.kind === 'text') {
    const { minLength, maxLength, format = 'text', pattern } = field
    const length =
      minLength && maxLength
        ? `${minLength} to ${maxLength}`
        : maxLength
          ? `at most ${maxLength}`
          : minLength && minLength > 1
            ? `at least ${minLength}`
            : ''
    return [format, length && `${length} characters`, pattern && `like ${pattern}`].filter(Boolean).join(', ')
  }
  if (field.kind === 'number')
    return [field.isInteger ? 'integer' : 'number', field.bounds].filter(Boolean).join(', ')
  if (field.kind === 'list') {
    const { minItems, maxItems } = field
    return [
      field.item ? 'list' : 'tuple',
      minItems && `at least ${minItems}`,
      maxItems && `at most ${maxItems}`,
    ]
      .filter(Boolean)
      .join(', ')
  }
  if (field.kind === 'object') return field.others ? 'record' : 'object'
  if (field.kind === 'json') return `JSON: ${field.reason}`
  return field.kind === 'boolean' ? 'boolean' : field.kind === 'union' ? 'one of' : ''
}

/**
 * Radio buttons to choose whether a field is absent, null or has a value. Renders nothing if the field always has a
 * value.
 */
function Presence({ field, state, path, name, isRequired = true, onChange }: FieldViewProps) {
  const { id } = useFormContext()
  const canBeAbsent = name !== undefined && (!isRequired || state.is === 'absent')
  if (!canBeAbsent && !field.isNullable) return null
  const now = state.is === 'absent' || state.is === 'null' ? state.is : 'value'
  const options = [canBeAbsent && 'absent', field.isNullable && 'null', 'value'].filter(
    (one) => one !== false,
  )
  const choose = (option: string) => {
    if (option === 'value') onChange(presentState(field))
    else onChange({ is: option === 'null' ? 'null' : 'absent' })
  }
  return (
    <span class="presence" role="radiogroup" aria-label={`${path || 'Arguments'}: absent, null or a value`}>
      {options.map((option) => (
        <label key={option}>
          <input
            type="radio"
            name={`${id}-${path}-is`}
            checked={now === option}
            onChange={() => choose(option)}
          />
          {option}
        </label>
      ))}
    </span>
  )
}

/** Shows a field's description, its problems, and the findings about its schema. */
function Notes({ field, state, path, place }: FieldViewProps) {
  const { id, problems, findings } = useFormContext()
  const found = findings.filter((one) => (one.path ?? '') === place && place !== '')
  const shown = shownPaths(field, state, path)
  return (
    <div class="form-notes" id={`${id}-${path || 'whole'}-notes`}>
      {field.description && <p class="form-help">{field.description}</p>}
      {problemsAt(problems, path, shown).map((message) => (
        <p class="form-problem" key={message}>
          ! {message}
        </p>
      ))}
      {found.map((one) => (
        <p class={`form-finding is-${one.level}`} key={one.rule}>
          ! <b>{one.rule}</b>: {one.message} <i>{one.fix}</i>
        </p>
      ))}
    </div>
  )
}

/** Returns the paths of the fields that are visible inside a field. */
function shownPaths(field: Field, state: FormState, path: string): readonly string[] {
  if (state.is === 'union' && field.kind === 'union') {
    const option = field.options[state.option]
    return option ? shownPaths(option.field, state.state, path) : []
  }
  if (state.is === 'list') return state.items.map((_, at) => joinPath(path, at))
  if (state.is !== 'object' || field.kind !== 'object') return []
  return [...field.fields(), ...state.others].map(({ name }) => joinPath(path, name))
}

function Parts(props: FieldViewProps) {
  const { field, state } = props
  if (field.kind === 'object' && state.is === 'object')
    return <ObjectParts {...props} field={field} state={state} />
  if (field.kind === 'list' && state.is === 'list')
    return <ListParts {...props} field={field} state={state} />
  if (field.kind === 'union' && state.is === 'union')
    return <UnionParts {...props} field={field} state={state} />
  return <p class="form-note">absent</p>
}

type Of<Kind extends Field, Is extends FormState['is']> = FieldViewProps & {
  readonly field: Kind
  readonly state: Extract<FormState, { readonly is: Is }>
}

function ObjectParts({
  field,
  state,
  path,
  place,
  onChange,
  hidden,
}: Of<ObjectField, 'object'> & { readonly hidden?: string }) {
  return (
    <div class="form-parts">
      {field
        .fields()
        .map((one, at) =>
          one.name === hidden ? null : (
            <FieldView
              key={one.name}
              name={one.name}
              field={one.field}
              isRequired={one.isRequired}
              path={joinPath(path, one.name)}
              place={place ? `${place}.${one.name}` : one.name}
              state={state.fields[at] ?? { is: 'absent' }}
              onChange={(inner) => onChange({ ...state, fields: state.fields.with(at, inner) })}
            />
          ),
        )}
      <OtherParts field={field} state={state} path={path} place={place} onChange={onChange} />
    </div>
  )
}

/**
 * Shows the entries for properties that the schema does not list. If the schema allows more, shows a button to add one.
 */
function OtherParts({ field, state, path, place, onChange }: Of<ObjectField, 'object'>) {
  const other = otherField(field)
  const { others } = state
  const set = (changed: typeof others) => onChange({ ...state, others: changed })
  const free = field.otherNames?.find((name) => !others.some((one) => one.name === name))
  return (
    <>
      {others.map((one, at) => (
        <div class="form-other" key={at}>
          <input
            class="form-name"
            aria-label="Name"
            value={one.name}
            onInput={(event) => set(others.with(at, { ...one, name: event.currentTarget.value }))}
          />
          <FieldView
            name={one.name || 'value'}
            field={other}
            path={joinPath(path, one.name)}
            place={`${place}.*`}
            state={one.state}
            onChange={(inner) => set(others.with(at, { ...one, state: inner }))}
          >
            <button type="button" class="small" onClick={() => set(others.toSpliced(at, 1))}>
              Remove<span class="visually-hidden"> {one.name}</span>
            </button>
          </FieldView>
        </div>
      ))}
      {field.others && (
        <button
          type="button"
          class="small"
          onClick={() => set([...others, { name: free ?? '', state: presentState(other) }])}
        >
          + Add a name
        </button>
      )}
    </>
  )
}

function ListParts({ field, state, path, place, name, onChange }: Of<ListField, 'list'>) {
  const { items } = state
  const isTuple = !field.item
  const canAdd = field.item || items.length < field.prefix().length
  const most = field.item ? field.maxItems : field.prefix().length
  return (
    <div class="form-parts">
      {items.map((item, at) => (
        <FieldView
          key={at}
          name={`${name ?? 'item'} ${at + 1}`}
          field={itemField(field, at)}
          path={joinPath(path, at)}
          place={at < field.prefix().length ? `${place}[${at}]` : `${place}[]`}
          state={item}
          onChange={(inner) => onChange({ ...state, items: items.with(at, inner) })}
        >
          {(!isTuple || at === items.length - 1) && (
            <button
              type="button"
              class="small"
              onClick={() => onChange({ ...state, items: items.toSpliced(at, 1) })}
            >
              Remove
              <span class="visually-hidden">
                {' '}
                {name ?? 'item'} {at + 1}
              </span>
            </button>
          )}
        </FieldView>
      ))}
      {canAdd && (
        <p class="form-add">
          <button
            type="button"
            class="small"
            onClick={() =>
              onChange({ ...state, items: [...items, presentState(itemField(field, items.length))] })
            }
          >
            + Add<span class="visually-hidden"> to {name ?? 'the list'}</span>
          </button>
          <span class="form-note">
            {most === undefined ? items.length : `${items.length} of at most ${most}`}
          </span>
        </p>
      )}
    </div>
  )
}

function UnionParts({ field, state, path, place, name, onChange }: Of<UnionField, 'union'>) {
  const { id } = useFormContext()
  const option = field.options[state.option]
  // The value is kept if it matches the form of the newly chosen option.
  const choose = (at: number) => {
    const next = field.options[at]
    const node = option && nodeOf(option.field, state.state)
    if (!next) return
    const kept =
      next.field.kind === option?.field.kind && node && field.discriminator === undefined
        ? stateOf(next.field, node)
        : presentState(next.field)
    onChange({ is: 'union', option: at, state: kept.is === 'json' ? presentState(next.field) : kept })
  }
  const onInner = (inner: FormState) => onChange({ ...state, state: inner })
  return (
    <div class="form-parts">
      <select
        id={`${id}-${path}-option`}
        aria-label={`${name ?? 'Arguments'}: one of`}
        value={String(state.option)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {field.options.map(({ label }, at) => (
          <option key={label} value={String(at)}>
            {label}
          </option>
        ))}
      </select>
      {option && option.field.kind === 'object' && state.state.is === 'object' ? (
        <ObjectParts
          field={option.field}
          state={state.state}
          path={path}
          place={place}
          onChange={onInner}
          {...(field.discriminator !== undefined && { hidden: field.discriminator })}
        />
      ) : option && isGroup(option.field) && state.state.is !== 'json' ? (
        <Parts field={option.field} state={state.state} path={path} place={place} onChange={onInner} />
      ) : (
        option && (
          <Control
            field={option.field}
            state={state.state}
            path={path}
            place={place}
            id={`${id}-${path}-value`}
            label={name ?? 'Arguments'}
            onChange={onInner}
          />
        )
      )}
    </div>
  )
}
