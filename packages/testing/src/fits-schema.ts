import { findViolation } from '@capstan/schema/violations'

/** Whether a value matches a JSON Schema, apart from formats. False for a schema that cannot be read. */
export function fits(value: unknown, schema: unknown, root = schema): boolean {
  try {
    return findViolation(value, schema, { root }) === undefined
  } catch {
    return false
  }
}
