import { type ErrorCode, isCapstanError } from '@capstan/core'

/** What a request is answered with when it cannot be done: a status, a code for programs and a sentence. */
export class HttpError extends Error {
  override readonly name = 'HttpError'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** A request that cannot be read: 400. */
export function invalidRequest(message: string): HttpError {
  return new HttpError(400, 'invalid_request', message)
}

/** The answer in the form that clients of the chat interface know, whatever route it is of. */
export function toErrorResponse({ status, code, message, headers }: HttpError): Response {
  return Response.json({ error: toErrorBody(status, code, message) }, { status, headers })
}

/** The same as a part of a stream that has begun. */
export function toErrorBody(status: number, code: string, message: string) {
  const type = status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error'
  return { message, type, code, param: null }
}

const statuses: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
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

/** Whose words are about what the caller sent: all others may be about the house. */
const callersOwn: readonly ErrorCode[] = [
  ...(['invalid_request', 'invalid_state', 'conflict'] as const),
  // In place of those that the model gave.
  'invalid_arguments',
  // Tools that it brings.
  ...(['invalid_tool', 'unknown_tool'] as const),
]

/**
 * The answer to what a run threw: before it began, what is the caller's fault is told in its words; anything else by
 * its code alone.
 */
export function toHttpError(thrown: unknown, hasBegun = true): HttpError {
  if (thrown instanceof HttpError) return thrown
  if (!isCapstanError(thrown)) return new HttpError(500, 'internal', 'The agent failed.')
  const { code, message, status, retryAfterMs } = thrown
  const isCallers = callersOwn.includes(code) && status === undefined && !hasBegun
  if (isCallers) return new HttpError(statuses[code] ?? 400, code, message)
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
  const own = code === 'conflict' ? 409 : callersOwn.includes(code) ? 502 : (statuses[code] ?? 500)
  return new HttpError(own, code, `The agent could not answer (${code}).`, headers)
}

export function notAllowed(allow: string): HttpError {
  return new HttpError(405, 'method_not_allowed', `Use ${allow}.`, { allow })
}

/** Tells the application of a failure, whose words callers are not told. Never throws. */
export function tellHouse(
  error: unknown,
  request: Request,
  { onError }: { readonly onError?: ((error: unknown, request: Request) => void) | undefined },
): void {
  if (onError) callOnError(async () => onError(error, request)).catch(() => {})
  else warnOnce(kindOf(error), 'An agent could not answer')
}

async function callOnError(call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error) {
    warnOnce(kindOf(error), 'The option onError of agentHandler failed')
  }
}

const warned = new Set<string>()
/** Names of errors may be anything: then those that come later are not told. */
const mostWarnings = 100

/** One warning for each kind of failure in a process. Its text has the kind alone: messages may hold secrets. */
function warnOnce(kind: string, what: string): void {
  const message = `${what} (${kind}). Further failures of this kind are not shown: give agentHandler an onError that reports each.`
  if (warned.has(message) || warned.size >= mostWarnings) return
  warned.add(message)
  if (globalThis.process?.emitWarning)
    globalThis.process.emitWarning(message, { type: 'CapstanWarning', code: `capstan_http_${kind}` })
  else console.warn(message)
}

/** The code of an error of ours; of any other its class. */
function kindOf(error: unknown): string {
  try {
    if (isCapstanError(error)) return error.code
    const name = error instanceof Error ? error.name : typeof error
    return /^\w{1,60}$/.test(name) ? name : 'Error'
  } catch {
    return 'Error'
  }
}
