import { findReference } from '@capstan/protocols/input'
import { HttpError, invalidRequest } from './http-error.js'

/**
 * Rejects a model request that refers to something this server does not store.
 * @throws HttpError 400
 */
export function checkReferences(body: Readonly<Record<string, unknown>>): void {
  const found = findReference(body)
  if (found) {
    const { name, code = 'invalid_request' } = found
    const message = `\`${name}\` refers to something another server stores. This server stores nothing: send the entire conversation.`
    throw new HttpError(400, code, message)
  }
  if (body.background === true)
    throw invalidRequest('`background` must be false: this server stores no responses.')
}
