import PQueue from 'p-queue'
import { CapstanError } from '../errors.js'
import { nodeModule } from '../json.js'
import { checkOptionNames } from '../option-names.js'
import type { Rate, RateLimit, RateQueue } from '../tools/tool.js'

/**
 * Limits how many calls to a tool start in an interval:
 * `tool({ ..., rate: rateLimit({ calls: 5, intervalMs: 1000 }) })`. The limit applies across all runs of this process.
 * Each tool has its own count, even if several tools share the returned value.
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
  // Timers fire immediately if their delay is 2^31 ms or more.
  if (!(intervalMs > 0 && intervalMs < 2 ** 31))
    throw invalid('intervalMs', intervalMs, `1 to ${2 ** 31 - 1}`)
  return {
    calls,
    intervalMs,
    createQueue: () => withOwnContext(new PQueue({ intervalCap: calls, interval: intervalMs, strict: true })),
  }
}

/**
 * Starts work in the async context that added the work. Otherwise, the queue would start the work in the context of the
 * previous work.
 */
function withOwnContext(queue: PQueue): RateQueue {
  return {
    add(start, options) {
      const hooks = nodeModule('node:async_hooks')
      return queue.add(hooks?.AsyncLocalStorage.bind(start) ?? start, options)
    },
  }
}

function invalid(option: string, value: unknown, use: string): CapstanError {
  const message = `rateLimit: ${option} is ${String(value)}. Use ${use}.`
  return new CapstanError('invalid_tool', message, { evidence: { option } })
}
