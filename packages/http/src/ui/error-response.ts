import type { HttpError } from '../http-error.js'

/** Returns an error as text, because `useChat` shows the body of a failed request as its error message. */
export function toUiErrorResponse({ status, code, message, headers }: HttpError): Response {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'x-error-code': code }
  return new Response(message, { status, headers: { ...headers, ...type } })
}
