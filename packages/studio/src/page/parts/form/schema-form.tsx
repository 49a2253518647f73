// A form for a JSON Schema, used to call tools, approve calls and enter results.
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

/** A form and what the user has entered. */
export interface SchemaForm {
  readonly field: Field
  readonly state: Signal<FormState>
  /** The form's value as JSON text. Empty if the value is absent. */
  readonly json: ReadonlySignal<string>
  /** Problems that the user must fix before the form can be sent. */
  readonly problems: ReadonlySignal<readonly FormProblem[]>
  /** Replaces the form's value. If the text is not JSON, changes nothing and returns false. */
  set(json: string): boolean
}

/**
 * Creates a form for a schema, with `json` as its value. If `json` is missing or invalid, the form contains only the
 * required fields, empty.
 */
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
  /** Problems that the server has reported. */
  readonly problems?: readonly FormProblem[]
  readonly findings?: readonly FormFinding[]
  /**
   * Opens a dialog to pick an artifact, and resolves to the artifact's id. If set, each text field has a button that
   * calls it.
   */
  readonly pickArtifact?: () => Promise<string | undefined>
  /** Whether to disable all fields and buttons, for example while the form is being sent. */
  readonly isReadOnly?: boolean
  readonly children?: ComponentChildren
}

/** Shows a form's fields. Pass the form's buttons as children. */
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
        {isEmpty && <p class="form-note">No arguments.</p>}
        <FieldView field={form.field} state={form.state.value} path="" place="" onChange={onChange} />
        {isEmpty && problemsAt(all, '').map((message) => <p class="form-problem">! {message}</p>)}
        {children}
      </fieldset>
    </FormContext.Provider>
  )
}
