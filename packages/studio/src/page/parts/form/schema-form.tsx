// A form of a JSON Schema: calls of tools, approvals, results that a person gives.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Field } from '../../model/schema-form/field.js'
import {
  type FormProblem,
  makeForm,
  problemsAt,
  problemsOf,
  readForm,
  writeForm,
} from '../../model/schema-form/form.js'
import type { FormState } from '../../model/schema-form/form-state.js'
import { FieldView } from './field-view.js'
import { FormContext, type FormFinding } from './form-context.js'

/** A form and its current input. */
export interface SchemaForm {
  readonly field: Field
  readonly state: Signal<FormState>
  /** The value as JSON text. Empty if it is absent. */
  readonly json: ReadonlySignal<string>
  /** Problems that prevent sending the form. */
  readonly problems: ReadonlySignal<readonly FormProblem[]>
  /** Replaces the value. False if the text is not JSON. */
  set(json: string): boolean
}

/** Creates a form. Without a value it shows the required fields. */
export function createForm(schema: unknown, json?: string): SchemaForm {
  const { field, state: first } = makeForm(schema, json)
  const state = signal(first)
  return {
    field,
    state,
    json: computed(() => writeForm(field, state.value)),
    problems: computed(() => problemsOf(field, state.value)),
    set(text) {
      const read = readForm(field, text)
      if (read) state.value = read
      return read !== undefined
    },
  }
}

export interface SchemaFormViewProps {
  readonly form: SchemaForm
  /** Problems reported by the server. */
  readonly problems?: readonly FormProblem[]
  readonly findings?: readonly FormFinding[]
  /** Lets the user pick an artifact. Text fields get a button for it. */
  readonly pickArtifact?: () => Promise<string | undefined>
  /** Whether the form is read-only. */
  readonly isReadOnly?: boolean
  readonly children?: ComponentChildren
}

/** Shows the fields of a form. The buttons of the form are its children. */
export function SchemaFormView({
  form,
  problems = [],
  findings = [],
  pickArtifact,
  isReadOnly,
  children,
}: SchemaFormViewProps) {
  const id = useId()
  const all = [...form.problems.value, ...problems]
  const context = { id, problems: all, findings, ...(pickArtifact && { pickArtifact }) }
  const onChange = (state: FormState) => {
    form.state.value = state
  }
  const isEmpty = form.field.kind === 'object' && form.field.fields().length === 0 && !form.field.others
  return (
    <FormContext.Provider value={context}>
      <fieldset class="form" disabled={isReadOnly}>
        <legend class="visually-hidden">Arguments</legend>
        {isEmpty && <p class="form-note">Without arguments.</p>}
        <FieldView field={form.field} state={form.state.value} path="" place="" onChange={onChange} />
        {isEmpty && problemsAt(all, '').map((message) => <p class="form-problem">! {message}</p>)}
        {children}
      </fieldset>
    </FormContext.Provider>
  )
}
