// What the fields of one form share.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { FormProblem } from '../../model/schema-form/form.js'

/** A finding about a parameter, at its path in the schema: `address.street`, `tags[]`. */
export interface FormFinding {
  readonly level: string
  readonly rule: string
  readonly path?: string
  readonly message: string
  readonly fix: string
}

export interface FormContextValue {
  /** The prefix of the elements' ids. */
  readonly id: string
  readonly problems: readonly FormProblem[]
  readonly findings: readonly FormFinding[]
  readonly pickArtifact?: () => Promise<string | undefined>
}

export const FormContext = createContext<FormContextValue>({ id: 'form', problems: [], findings: [] })

export function useFormContext(): FormContextValue {
  return useContext(FormContext)
}
