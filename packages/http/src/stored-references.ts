import { findReference } from '@capstan/protocols/input'
import { HttpError, invalidRequest } from './http-error.js'

/**
 * Checks that a model request contains the entire conversation.
 * @throws HttpError 400 if it refers to data that this server does not store, such as an earlier response
 */
export function checkReferences(body: Readonly<Record<string, unknown>>): void {
  const found = findReference(body)
  if (found) {
    const { name, code = 'invalid_request' } = found
    const message = `\`${name}\` refers to data that a different server stores. Send the entire conversation to this one.`
    throw new HttpError(400, code, message)
  }
  if (body.background === true)
    throw invalidRequest('`background` must be false: this server stores no responses.')
}
