import type { ModelReply } from '../ask/model.js'
import type { Limits, RunState, StopReason } from '../words/state.js'

/** The limit that forbids another request, if one does. */
export function reachedLimit({ turn, limits }: RunState): keyof Limits | undefined {
  return turn >= limits.steps ? 'steps' : undefined
}

/** Why a run ends with an answer in words. */
export function endOf({ message, finishReason }: Pick<ModelReply, 'message' | 'finishReason'>): StopReason {
  if (typeof message.refusal === 'string' && message.refusal !== '') return 'refusal'
  if (finishReason === 'length' || finishReason === 'content_filter') return finishReason
  return 'done'
}
