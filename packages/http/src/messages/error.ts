import type { HttpError } from '../http-error.js'

/** Returns the response to a failed request, as this protocol has it. */
export function toMessagesError(error: HttpError): Response {
  const { status, headers } = error
  return Response.json(toErrorEvent(error), { status, headers })
}

/** Returns the body of an error, which is also the event of a stream. */
export function toErrorEvent({ status, code, message }: HttpError) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const isThread = code === 'thread_unsupported_request'
  // By these details the official client goes on without threads.
  const details = isThread ? { details: { error_code: code, unsupported: ['thread'] } } : {}
  return { type: 'error', error: { type, message, ...details } }
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}
