import { isRecord } from '@capstan/core/internal'
import { isGiven } from './client-messages.js'
import { HttpError } from './http-error.js'

/**
 * Fields of requests that refer to what other servers store, with the code of the error. This server stores no
 * conversations of these clients: a reply to such a request would lack the rest of the conversation.
 */
const references = new Map([
  ['previous_response_id', 'previous_response_not_found'],
  // The official client goes on without threads.
  ['thread', 'thread_unsupported_request'],
  ['conversation', 'invalid_request'],
  ['container', 'invalid_request'],
  ['prompt', 'invalid_request'],
])

/**
 * Rejects a request to a model that refers to what this server does not store.
 * @throws HttpError 400
 */
export function checkReferences(body: Readonly<Record<string, unknown>>): void {
  for (const [name, code] of references) {
    const value = body[name]
    // A request that creates a thread has the whole conversation.
    const isNew = name === 'thread' && isRecord(value) && value.type === 'create'
    if (!isGiven(value) || isNew) continue
    const message = `\`${name}\` names what another server stores, and this one stores nothing. Send the whole conversation without it.`
    throw new HttpError(400, code, message)
  }
  if (body.background === true)
    throw new HttpError(
      400,
      'invalid_request',
      '`background` must be false: this server stores no responses.',
    )
}
