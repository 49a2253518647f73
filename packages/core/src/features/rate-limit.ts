import PQueue from 'p-queue'
import { CapstanError } from '../errors.js'
import { checkOptionNames } from '../option-names.js'

/** A limit on starts: `calls` within any `intervalMs` milliseconds. */
export interface Rate {
  readonly calls: number
  readonly intervalMs: number
}

/** The setting `rate` of a tool, made by `rateLimit(...)`. */
export interface RateLimit extends Rate {
  /** Returns a queue for one tool. */
  createQueue(): RateQueue
}

/** Starts work in the order of arrival, as the rate allows. */
export interface RateQueue {
  /** Rejects with the signal's reason when it aborts before the start. */
  add<T>(start: () => Promise<T>, options: { readonly signal: AbortSignal }): Promise<T>
}

/**
 * Limits how many calls of a tool start in an interval: `tool({ ..., rate: rateLimit({ calls: 5, intervalMs: 1000 }) })`.
 * The limit holds over all runs of this process. Each tool counts for itself, also when tools share the value.
 * @throws CapstanError `invalid_tool` for a number that is not a limit, or an unknown option
 */
export function rateLimit(rate: Rate): RateLimit {
  checkOptionNames(
    rate,
    { calls: true, intervalMs: true },
    { of: 'rateLimit', code: 'invalid_tool', names: { intervalMs: 'per window' } },
  )
  const { calls, intervalMs } = rate
  if (!Number.isSafeInteger(calls) || calls < 1) throw invalid('calls', calls, 'a whole number from 1 up')
  // Timers fire at once when their delay is 2^31 ms or more.
  if (!(intervalMs > 0 && intervalMs < 2 ** 31))
    throw invalid('intervalMs', intervalMs, `1 to ${2 ** 31 - 1}`)
  return {
    calls,
    intervalMs,
    createQueue: () => new PQueue({ intervalCap: calls, interval: intervalMs, strict: true }),
  }
}

function invalid(option: string, value: unknown, use: string): CapstanError {
  const message = `${option} of rateLimit is ${String(value)}. Use ${use}.`
  return new CapstanError('invalid_tool', message, { evidence: { option } })
}
