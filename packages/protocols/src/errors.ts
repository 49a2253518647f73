import type { ReplyError } from './reply.js'

/** Returns the `error` object for chat completions and Responses. */
export function toErrorBody({ status, code, message, param = null }: ReplyError) {
  const type = status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error'
  return { message, type, code, param }
}

/** Returns an error for the Messages protocol, as the body of a response or as an event of a stream. */
export function toMessagesError({ status, code, message }: ReplyError) {
  const known = Object.hasOwn(errorTypes, status) ? errorTypes[status] : undefined
  const type = known ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const isThread = code === 'thread_unsupported_request'
  // With these details, the official client continues without threads.
  const details = isThread ? { details: { error_code: code, unsupported: ['thread'] } } : {}
  return { type: 'error', error: { type, message, ...details } }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}
