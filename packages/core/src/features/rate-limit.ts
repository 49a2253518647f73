import PQueue from 'p-queue'
import { CapstanError } from '../errors.js'
import { checkOptionNames } from '../option-names.js'
import type { Rate, RateLimit, RateQueue } from '../tools/tool.js'

/**
 * Limits how many calls of a tool start in an interval:
 * `tool({ ..., rate: rateLimit({ calls: 5, intervalMs: 1000 }) })`. The limit applies across all runs of this process.
 * Each tool has its own count, even if tools share the value.
 * @throws CapstanError `invalid_tool` for an invalid number or an unknown option
 */
export function rateLimit(rate: Rate): RateLimit {
  checkOptionNames(
    rate,
    { calls: true, intervalMs: true },
    { of: 'rateLimit', code: 'invalid_tool', names: { intervalMs: 'per window' } },
  )
  const { calls, intervalMs } = rate
  if (!Number.isSafeInteger(calls) || calls < 1) throw invalid('calls', calls, 'a whole number of at least 1')
  // Timers fire at once when their delay is 2^31 ms or more.
  if (!(intervalMs > 0 && intervalMs < 2 ** 31))
    throw invalid('intervalMs', intervalMs, `1 to ${2 ** 31 - 1}`)
  return {
    calls,
    intervalMs,
    createQueue: () => withOwnContext(new PQueue({ intervalCap: calls, interval: intervalMs, strict: true })),
  }
}

/** Starts work in the asynchronous context that added it: the queue would start it in the previous one's context. */
function withOwnContext(queue: PQueue): RateQueue {
  return {
    add(start, options) {
      const { AsyncLocalStorage } = globalThis.process?.getBuiltinModule?.('node:async_hooks') ?? {}
      return queue.add(AsyncLocalStorage?.bind(start) ?? start, options)
    },
  }
}

function invalid(option: string, value: unknown, use: string): CapstanError {
  const message = `${option} of rateLimit is ${String(value)}. Use ${use}.`
  return new CapstanError('invalid_tool', message, { evidence: { option } })
}
