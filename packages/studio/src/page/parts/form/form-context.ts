// The values that all fields of a form share.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { FormProblem } from '../../model/schema-form/form.js'

/**
 * A problem in a tool's definition. `path` is the parameter's path in the schema, such as `address.street` or `tags[]`.
 */
export interface FormFinding {
  readonly level: string
  readonly rule: string
  readonly path?: string
  readonly message: string
  readonly fix: string
}

export interface FormContextValue {
  /** The prefix for the ids of the form's elements. */
  readonly id: string
  readonly problems: readonly FormProblem[]
  readonly findings: readonly FormFinding[]
  readonly pickArtifact?: () => Promise<string | undefined>
}

export const FormContext = createContext<FormContextValue>({ id: 'form', problems: [], findings: [] })

export function useFormContext(): FormContextValue {
  return useContext(FormContext)
}
