import type { ModelReply } from '../ask/model.js'
import type { Toolset } from '../tool/toolset.js'
import type { Limits, RunState, StopReason } from '../words/state.js'
import type { CallRecord } from './walk.js'

/** Why a run must not ask again. */
export interface Stop {
  readonly reason: StopReason
  readonly limit?: keyof Limits
}

/** Looks at a run before it asks. */
export function stopBefore({ turn, limits, flags }: RunState, toolset: Toolset): Stop | undefined {
  const stuck = Object.entries(flags.rejections ?? {}).some(
    ([name, times]) => times >= (toolset.get(name)?.settings.maxRejections ?? 3),
  )
  if (stuck) return { reason: 'stuck' }
  return turn >= limits.steps ? { reason: 'limit', limit: 'steps' } : undefined
}

/** The rejections in a row by tool, after a turn's calls; one call that was no rejection ends a row. */
export function countRejections(
  before: Readonly<Record<string, number>>,
  calls: readonly CallRecord[],
): Record<string, number> {
  const counts = new Map(Object.entries(before))
  for (const { name, status } of calls)
    counts.set(name, status === 'rejected' ? (counts.get(name) ?? 0) + 1 : 0)
  return Object.fromEntries([...counts].filter(([, times]) => times > 0))
}

/** Why a run ends with an answer in words. */
export function endOf({ message, finishReason }: Pick<ModelReply, 'message' | 'finishReason'>): StopReason {
  if (typeof message.refusal === 'string' && message.refusal !== '') return 'refusal'
  if (finishReason === 'length' || finishReason === 'content_filter') return finishReason
  return 'done'
}
