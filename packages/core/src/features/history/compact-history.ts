import { chain } from '../../async.js'
import { CapstanError } from '../../errors.js'
import { checkOptionNames, kindOf } from '../../option-names.js'
import type { Middleware } from '../../run/middleware.js'
import { type Compact, compacted, type HistoryBounds, trimming } from '../../run/trim-messages.js'
import type { Message } from '../../types/message.js'

/**
 * Sends each request with the history that `compact` returns. A `context-trimmed` event reports a shorter one.
 * @throws CapstanError `invalid_request` for a value that is not a function
 */
export function compactHistory(compact: Compact): Middleware {
  checkOptionNames({ compact }, { compact: 'a function' }, { of: 'compactHistory', required: 'compact' })
  return {
    name: 'compact-history',
    beforeModel: (call, run) => compacted(call, run, (history) => chain(compact(history), toHistory)),
  }
}

function toHistory(given: unknown): readonly Message[] {
  if (Array.isArray(given)) return given
  const message = `compactHistory returned ${kindOf(given)}. Return an array of messages.`
  throw new CapstanError('invalid_request', message)
}

/**
 * Drops the oldest messages of each request, calls together with their results. Whole exchanges before the
 * run are dropped first, then the oldest messages of the run after its first user message. The last user message and
 * the newest step always stay; the first user message of the run is dropped only when they alone are too long.
 * @throws CapstanError `invalid_request` for an unknown limit, or one that is not a number
 */
export function trimHistory(bounds: HistoryBounds): Middleware {
  const kinds = { maxTokens: 'a number from 0 up', maxMessages: 'a number from 0 up' } as const
  checkOptionNames(bounds, kinds, { of: 'trimHistory' })
  return compactHistory(trimming(bounds))
}
