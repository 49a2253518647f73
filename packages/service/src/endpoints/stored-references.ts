import { findReference } from '@capstan/protocols/input'
import { ServiceError } from '../http/service-error.js'

/** Rejects a request that refers to data that this service does not store. */
export function checkReferences(fields: Readonly<Record<string, unknown>>): void {
  const found = findReference(fields)
  if (!found) return
  const { name, code = 'invalid_value' } = found
  const shown = JSON.stringify(fields[name]).slice(0, 100)
  const message = `"${name}" is ${shown}, but this service stores nothing. Send the entire conversation without it.`
  throw new ServiceError(400, code, message, name)
}
