import { type Schema, validate } from '@cfworker/json-schema'

/** Whether a value fits a JSON Schema; false as well for a schema that cannot be read. */
export function fits(value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  try {
    // Of a copy: the validator writes into its schema.
    return validate(value, structuredClone(schema) as Schema, '2020-12').valid
  } catch {
    return false
  }
}
