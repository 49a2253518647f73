import { ServiceError } from '../http/service-error.js'

/** A field that must be true or false; 400 otherwise. */
export function parseFlag(value: unknown, name: string, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback
  if (typeof value === 'boolean') return value
  throw new ServiceError(400, 'invalid_type', `"${name}" must be true or false.`, name)
}

/** A field that must be a whole number from 1; nothing when it is not there. */
export function parseCount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw invalidField(name, 'must be a whole number from 1')
}

/** The 400 for a field with a value it cannot have. */
export function invalidField(name: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_value', `"${name}" ${what}.`, name)
}
