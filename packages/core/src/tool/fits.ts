import { misfit } from './misfit.js'

/** Whether a value fits a JSON Schema, formats aside; false as well for a schema that cannot be read. */
export function fits(value: unknown, schema: Readonly<Record<string, unknown>>): boolean {
  try {
    return misfit(value, schema) === undefined
  } catch {
    return false
  }
}
