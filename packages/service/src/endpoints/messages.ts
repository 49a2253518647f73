import type { Endpoint, ServiceRequest } from '../http/endpoint.js'
import type { ToErrorBody } from '../http/write-reply.js'
import { countTokens } from './draft.js'
import { toMessage, toMessageEvents } from './messages-reply.js'
import { parseMessagesRequest, parsePrompt } from './messages-request.js'
import { checkModel, engineHeader, type ModelNames } from './models.js'
import { type ReplyDependencies, replyEndpoint, textOf } from './reply.js'

/** Replies to a Messages request, complete or as a stream of events. */
export function messagesEndpoint(dependencies: ReplyDependencies): Endpoint {
  return replyEndpoint(dependencies, {
    parse: parseMessagesRequest,
    asked: askedOf,
    whole: toMessage,
    stream: toMessageEvents,
  })
}

/** Counts the tokens of a Messages request, as `usage` does. */
export function countTokensEndpoint(models: ModelNames): Endpoint {
  return async ({ fields }) => {
    checkModel(fields.model, 'chat', models)
    parsePrompt(fields)
    return { headers: engineHeader('chat'), json: { input_tokens: countTokens(textOf(askedOf(fields))) } }
  }
}

function askedOf({ system, messages, tools }: ServiceRequest['fields']): readonly unknown[] {
  return [system ?? '', messages, tools ?? []]
}

/** Returns an error as this protocol has it. */
export const toMessagesError: ToErrorBody = ({ status, code, message }) => {
  const known = Object.hasOwn(errorTypes, status) ? errorTypes[status] : undefined
  const type = known ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const isThread = code === 'thread_unsupported_request'
  // By these details the official client goes on without threads.
  const details = isThread ? { details: { error_code: code, unsupported: ['thread'] } } : {}
  return { type: 'error', error: { type, message, ...details } }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
