import type { Feature } from '../run/feature.js'
import type { RunView, Stop } from '../run/middleware.js'

/**
 * Requests a final answer without calls when a limit or repetition stops a run, or when the last reply was empty. The
 * run's stop reason does not change. A `final-answer-failed` event reports a failure of the request. On by default.
 */
export function finalAnswer(): Feature {
  return {
    name: 'final-answer',
    isInner: true,
    beforeStop: (stop, run) => (mayAskFinal(stop, run) ? { note: noteOf(stop) } : undefined),
  }
}

/** Whether the limits allow one more request. The request's input is checked separately, before it is sent. */
export function mayAskFinal(
  { reason, limit }: Stop,
  { isFinalAsked, usage, limits }: Pick<RunView, 'isFinalAsked' | 'usage' | 'limits'>,
): boolean {
  if (isFinalAsked || !['limit', 'stuck', 'done'].includes(reason)) return false
  if (limit === 'tokens') return usage.totalTokens < (limits.tokens ?? 0)
  // An unknown cost becomes NaN here, so that the comparison is false.
  return limit !== 'cost' || Number(usage.cost ?? 0) < (limits.cost ?? 0)
}

/** Text for the model, added to its last request. */
function noteOf({ reason, limit }: Stop): string {
  if (reason === 'done') return 'Your last reply was empty. Answer now with what you know.'
  const why = reason === 'limit' ? `Limit reached (${limit})` : 'No progress'
  return `${why}. You cannot call more tools. Give your best answer from what you know, and say what is missing.`
}
