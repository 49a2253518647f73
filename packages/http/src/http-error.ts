import { type ErrorCode, isCapstanError } from '@capstan/core'
import { toErrorBody } from '@capstan/protocols/errors'

/** An error response: a status, a code for programs and a message. */
export class HttpError extends Error {
  override readonly name = 'HttpError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Additional fields for `error` in the response's body. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
  }
}

/** Creates an error with status 400 and the code `invalid_request`. */
export function invalidRequest(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}

/** Creates the error for requests that arrive while the server is shutting down. */
export function closing(): HttpError {
  return new HttpError(503, 'closing', 'This server is closing. Retry.', { 'retry-after': '1' })
}

/** Converts an error to a response. `toBody` creates the body, by default in the chat completions format. */
export function toErrorResponse(error: HttpError, toBody = toChatError): Response {
  const { status, headers } = error
  return Response.json(toBody(error), { status, headers })
}

function toChatError(error: HttpError): object {
  return { error: { ...toErrorBody(error), ...error.details } }
}

const statuses: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  context_length_exceeded: 400,
  invalid_state: 409,
  conflict: 409,
  rate_limit: 429,
  timeout: 504,
  quota: 503,
  network: 502,
  truncated: 502,
  invalid_response: 502,
  auth: 502,
}

/**
 * Codes of errors that are about the client's own request. The messages of other errors may describe the application,
 * so clients do not get them.
 */
const clientErrorCodes: readonly ErrorCode[] = [
  ...(['invalid_request', 'invalid_state', 'conflict'] as const),
  // A client of `runs` may approve a call with different arguments, which may not match the tool's schema.
  'invalid_arguments',
  // For tools that the client sends.
  ...(['invalid_tool', 'unknown_tool'] as const),
]

/**
 * Converts an error from a run to an HTTP error. The client gets the message only if the error is about its own request
 * and the run has not started; otherwise it gets only the code.
 */
export function toHttpError(thrown: unknown, hasBegun = true): HttpError {
  if (thrown instanceof HttpError) return thrown
  if (!isCapstanError(thrown)) return new HttpError(500, 'internal', 'The agent failed.')
  const { code, message, status, retryAfterMs } = thrown
  const isCallers = clientErrorCodes.includes(code) && status === undefined && !hasBegun
  if (isCallers) return new HttpError(statuses[code] ?? 400, code, message)
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  const own = code === 'conflict' ? 409 : clientErrorCodes.includes(code) ? 502 : (statuses[code] ?? 500)
  return new HttpError(own, code, `The agent failed (${code}).`, headers)
}

export function methodNotAllowed(allow: string): HttpError {
  return new HttpError(405, 'method_not_allowed', `This method is not allowed here. Use ${allow}.`, { allow })
}

/** Reports an error to `onError`, or as a process warning if that is not set. Never throws. */
export function reportError(
  error: unknown,
  request: Request,
  { onError }: { readonly onError?: ((error: unknown, request: Request) => void) | undefined },
): void {
  if (onError) callOnError(async () => onError(error, request)).catch(() => {})
  else warnOnce(error, 'An agent failed', advice)
}

async function callOnError(call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error) {
    warnOnce(error, "agentHandler's onError failed", advice)
  }
}

const advice = "Set agentHandler's onError to receive every failure."

const warned = new Set<string>()
/** Maximum number of warnings. Error names are arbitrary, so there could be any number of different warnings. */
const mostWarnings = 100

/**
 * Warns once per process for each kind of failure. The warning names only the kind, because messages may contain
 * secrets.
 */
export function warnOnce(error: unknown, what: string, advice: string): void {
  const kind = kindOf(error)
  const message = `${what} (${kind}). Later failures of this kind are not shown. ${advice}`
  if (warned.has(message) || warned.size >= mostWarnings) return
  warned.add(message)
  if (globalThis.process?.emitWarning)
    globalThis.process.emitWarning(message, { type: 'CapstanWarning', code: `capstan_http_${kind}` })
  else console.warn(message)
}

/** Returns the code of a CapstanError, or the class name of any other error. */
function kindOf(error: unknown): string {
  try {
    if (isCapstanError(error)) return error.code
    const name = error instanceof Error ? error.name : typeof error
    return /^\w{1,60}$/.test(name) ? name : 'Error'
  } catch {
    return 'Error'
  }
}
