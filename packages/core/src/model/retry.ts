import { isCapstanError } from '../errors.js'
import type { ModelReply, ModelRequest, ModelSink } from '../types/model.js'

interface Retries {
  /** Maximum number of retries. */
  readonly max: number
  /** Waits. Rejects with the signal's reason on abort. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Maximum wait that a server may ask for. With a longer one the error is thrown. */
const maxRetryAfterMs = 60_000

/**
 * Retries after a retryable failure, unless the server asks to wait for more than a minute. After a stream was cut off,
 * the retry is not streamed: a JSON body shows whether it is complete.
 */
export function withRetries(
  ask: (request: ModelRequest) => Promise<ModelReply>,
  request: ModelRequest,
  { max, wait }: Retries,
  sink?: ModelSink,
): Promise<ModelReply> {
  const send = (current: ModelRequest, attempt: number): Promise<ModelReply> =>
    ask(current).catch(async (error: unknown) => {
      const canRetry =
        isCapstanError(error) && error.retryable && (error.retryAfterMs ?? 0) <= maxRetryAfterMs
      if (!canRetry || attempt > max || request.signal.aborted) throw error
      const delayMs = Math.round(error.retryAfterMs ?? backoff(attempt))
      sink?.({ type: 'retry', attempt, delayMs, code: error.code, message: error.message })
      await wait(delayMs, request.signal)
      return send(error.code === 'truncated' ? { ...request, stream: false } : current, attempt + 1)
    })
  return send(request, 1)
}

/**
 * Returns 500 ms, doubled for each attempt up to 8 s, less up to a quarter so that clients do not retry simultaneously.
 */
function backoff(attempt: number): number {
  return Math.min(500 * 2 ** (attempt - 1), 8000) * (1 - Math.random() / 4)
}

/**
 * Returns the wait that a server asks for, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a
 * date. Undefined for a negative, past or unreadable value.
 */
export function toRetryAfter(header: (name: string) => string | null): number | undefined {
  const after = header('retry-after') ?? ''
  return toNumber(header('retry-after-ms') ?? '') ?? toMs(toNumber(after)) ?? untilDate(after)
}

/** Accepts only plain decimals: "1,5" and "0x10" are ambiguous. */
function toNumber(text: string): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** Parses an HTTP or ISO 8601 date. */
function untilDate(text: string): number | undefined {
  if (!/^\s*([A-Za-z]{3,9}, \d|\d{4}-\d\d-\d\d)/.test(text)) return undefined
  const wait = Date.parse(text) - Date.now()
  return wait > 0 ? wait : undefined
}
