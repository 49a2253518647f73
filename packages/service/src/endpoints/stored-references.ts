import { ServiceError } from '../http/service-error.js'
import { isRecord } from '../json.js'

type Fields = Readonly<Record<string, unknown>>

// Fields that refer to what other servers store, with the codes of their errors.
const references = new Map([
  ['previous_response_id', 'previous_response_not_found'],
  // The official client goes on without threads.
  ['thread', 'thread_unsupported_request'],
  ['conversation', 'invalid_value'],
  ['container', 'invalid_value'],
  ['prompt', 'invalid_value'],
])

/**
 * Rejects a request that refers to what this service does not store: a reply would lack the rest of the
 * conversation.
 */
export function checkReferences(fields: Fields): void {
  for (const [name, code] of references) {
    const value = fields[name]
    // A request that creates a thread has the whole conversation.
    const isNew = name === 'thread' && isRecord(value) && value.type === 'create'
    if (value === undefined || value === null || isNew) continue
    const shown = JSON.stringify(value).slice(0, 100)
    const message = `"${name}" is ${shown}, but this service stores nothing. Send the whole conversation without it.`
    throw new ServiceError(400, code, message, name)
  }
}
