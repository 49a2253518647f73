import { findReference } from '@capstan/protocols/input'
import { HttpError, invalidRequest } from './http-error.js'

/**
 * Rejects a request to a model that refers to what this server does not store.
 * @throws HttpError 400
 */
export function checkReferences(body: Readonly<Record<string, unknown>>): void {
  const found = findReference(body)
  if (found) {
    const { name, code = 'invalid_request' } = found
    const message = `\`${name}\` names what another server stores, and this one stores nothing. Send the entire conversation without it.`
    throw new HttpError(400, code, message)
  }
  if (body.background === true)
    throw invalidRequest('`background` must be false: this server stores no responses.')
}
