import { findViolation } from '@capstan/schema/violations'

/** Whether a value matches a JSON Schema. Does not check formats. False if the schema is invalid. */
export function fits(value: unknown, schema: unknown, root = schema): boolean {
  try {
    return findViolation(value, schema, { root }) === undefined
  } catch {
    return false
  }
}
