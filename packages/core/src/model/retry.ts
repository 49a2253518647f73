import { isCapstanError } from '../errors.js'
import type { ModelReply, ModelRequest, ModelSink } from '../types/model.js'

interface Retries {
  /** Repetitions at most. */
  readonly max: number
  /** Waits, or rejects with the signal's reason. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A server that asks for a longer wait than this is not asked again: the error goes to the caller. */
const patienceMs = 60_000

/**
 * Asks again where that can help: after a failure that says so, and when the server wants no longer wait than a
 * minute. After a stream that was cut off the answer is asked for whole, where the body is its own evidence.
 */
export async function withRetries(
  ask: (request: ModelRequest) => Promise<ModelReply>,
  request: ModelRequest,
  { max, wait }: Retries,
  sink?: ModelSink,
): Promise<ModelReply> {
  let current = request
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(current)
    } catch (error) {
      const again = isCapstanError(error) && error.retryable && (error.retryAfterMs ?? 0) <= patienceMs
      if (!again || attempt > max || request.signal.aborted) throw error
      const delayMs = Math.round(error.retryAfterMs ?? backoff(attempt))
      sink?.({ type: 'retry', attempt, delayMs, code: error.code, message: error.message })
      await wait(delayMs, request.signal)
      if (error.code === 'truncated') current = { ...request, stream: false }
    }
  }
}

/** Half a second, doubled each time up to eight, less up to a quarter: many clients must not come back as one. */
function backoff(attempt: number): number {
  return Math.min(500 * 2 ** (attempt - 1), 8000) * (1 - Math.random() / 4)
}

/**
 * How long a server asks to wait, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a date.
 * Undefined for what is negative, past or cannot be read: it asks for nothing.
 */
export function toRetryAfter(header: (name: string) => string | null): number | undefined {
  const after = header('retry-after') ?? ''
  return toNumber(header('retry-after-ms') ?? '') ?? toMs(toNumber(after)) ?? untilDate(after)
}

/** No sign, and no form but the plain one: "1,5" and "0x10" are not what they seem. */
function toNumber(text: string): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** A date as HTTP writes it, or as ISO 8601 does. */
function untilDate(text: string): number | undefined {
  if (!/^\s*([A-Za-z]{3,9}, \d|\d{4}-\d\d-\d\d)/.test(text)) return undefined
  const wait = Date.parse(text) - Date.now()
  return wait > 0 ? wait : undefined
}
