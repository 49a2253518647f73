// The controls for fields without inner fields: text, numbers, choices and JSON.
import type { Field } from '../../model/schema-form/field.js'
import { type FormState, presentState } from '../../model/schema-form/form-state.js'
import { useFormContext } from './form-context.js'

export interface ControlProps {
  readonly field: Field
  readonly state: FormState
  readonly path: string
  readonly place: string
  readonly id: string
  /** The field's name, if the control has no visible label. */
  readonly label?: string
  readonly isRequired?: boolean
  readonly onChange: (state: FormState) => void
}

/** Whether the field's control itself offers `absent` and `null`, as the options of a choice do. */
export function hasOwnAbsence(field: Field): boolean {
  return field.kind === 'choice' || field.kind === 'boolean'
}

export function Control(props: ControlProps) {
  const { field, state } = props
  const { problems } = useFormContext()
  const shared = {
    id: props.id,
    'aria-label': props.label,
    'aria-describedby': props.label ? undefined : `${props.id}-notes`,
    'aria-invalid': problems.some((one) => one.path === props.path) || undefined,
  }
  if (state.is === 'json' || field.kind === 'json') return <JsonControl {...props} shared={shared} />
  if (field.kind === 'choice' || field.kind === 'boolean') return <ChoiceControl {...props} shared={shared} />
  if (field.kind === 'number') {
    return (
      <input
        {...shared}
        class="form-number"
        inputMode={field.isInteger ? 'numeric' : 'decimal'}
        autocomplete="off"
        value={state.is === 'number' ? state.text : ''}
        onInput={(event) => props.onChange({ is: 'number', text: event.currentTarget.value })}
      />
    )
  }
  if (field.kind === 'text') return <TextControl {...props} shared={shared} />
  return (
    <button type="button" class="small" {...shared} onClick={() => props.onChange(presentState(field))}>
      Fill in
    </button>
  )
}

interface Shared {
  readonly id: string
  readonly 'aria-label': string | undefined
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

type WithShared = ControlProps & { readonly shared: Shared }

function TextControl({ field, state, path, shared, onChange }: WithShared) {
  const { pickArtifact } = useFormContext()
  const text = state.is === 'text' ? state.text : ''
  const set = (value: string) => onChange({ is: 'text', text: value })
  const format = field.kind === 'text' ? field.format : undefined
  const isLong = field.kind === 'text' && field.isLong
  const pick = async () => {
    const picked = await pickArtifact?.()
    if (picked) set(picked)
  }
  const control =
    format === undefined || isLong || text.includes('\n') ? (
      <textarea
        {...shared}
        rows={isLong ? 4 : 1}
        value={text}
        onInput={(event) => set(event.currentTarget.value)}
      />
    ) : (
      <OneLine format={format} text={text} shared={shared} set={set} />
    )
  if (!pickArtifact || format !== undefined) return control
  return (
    <span class="form-pick">
      {control}
      <button
        type="button"
        class="small"
        aria-label={`Choose an artifact id for ${path}`}
        title="Choose an artifact"
        onClick={pick}
      >
        id
      </button>
    </span>
  )
}

interface OneLineProps {
  readonly format: string
  readonly text: string
  readonly shared: Shared
  readonly set: (text: string) => void
}

function OneLine({ format, text, shared, set }: OneLineProps) {
  const onInput = (event: { readonly currentTarget: { readonly value: string } }) =>
    set(event.currentTarget.value)
  // The browser's date field can show only dates, so any other text is shown in a text field.
  if (format === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(text))
    return <input {...shared} type="date" value={text} onInput={onInput} />
  return (
    <input
      {...shared}
      inputMode={modes[format] ?? 'text'}
      placeholder={placeholders[format] ?? ''}
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={onInput}
    />
  )
}

const modes: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url', url: 'url' }
const placeholders: Readonly<Record<string, string>> = {
  'date-time': '2026-12-01T10:00:00Z',
  time: '10:00:00',
  uri: 'https://',
}

/** A choice. If the field can be absent or null, the choice has options for these too. */
function ChoiceControl({ field, state, isRequired = true, shared, onChange }: WithShared) {
  const labels = field.kind === 'choice' ? field.options.map(({ label }) => label) : ['true', 'false']
  const canBeAbsent = !isRequired || state.is === 'absent'
  const at = state.is === 'choice' ? state.option : state.is === 'boolean' ? (state.value ? 0 : 1) : state.is
  const choose = (value: string) => {
    if (value === 'absent' || value === 'null') onChange({ is: value })
    else if (field.kind === 'boolean') onChange({ is: 'boolean', value: value === '0' })
    else onChange({ is: 'choice', option: Number(value) })
  }
  return (
    <select {...shared} value={String(at)} onChange={(event) => choose(event.currentTarget.value)}>
      {canBeAbsent && <option value="absent">{isRequired ? 'choose' : '(absent)'}</option>}
      {field.isNullable && <option value="null">(null)</option>}
      {labels.map((label, option) => (
        <option key={label} value={String(option)}>
          {label}
        </option>
      ))}
    </select>
  )
}

function JsonControl({ field, state, shared, onChange }: WithShared) {
  const text = state.is === 'json' ? state.text : ''
  return (
    <>
      <textarea
        {...shared}
        class="form-json"
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        spellcheck={false}
        placeholder="JSON"
        value={text}
        onInput={(event) => onChange({ is: 'json', text: event.currentTarget.value })}
      />
      {field.kind !== 'json' && (
        <p class="form-note">
          This value does not match the form.{' '}
          <button type="button" class="small" onClick={() => onChange(presentState(field))}>
            Start over
          </button>
        </p>
      )}
    </>
  )
}
