import { type AssistantMessage, callsOf, textOf } from '../words/message.js'
import type { ModelReply } from '../words/model.js'
import type { LimitName, RunState, StopReason } from '../words/state.js'
import { limitBefore } from './limit-before.js'
import type { RunPlan, Walk } from './walk.js'

/** Why a run must not go on as before. */
export interface Stop {
  readonly reason: StopReason
  readonly limit?: LimitName
}

/** Looks at a run before it asks again. */
export function stopBefore({ state, records }: Walk, plan: RunPlan): Stop | undefined {
  const { flags, turn, usage } = state
  if (plan.signal.aborted) return { reason: 'aborted' }
  if (flags.silent) return { reason: 'done' }
  if (isStuck(state, plan)) return { reason: 'stuck' }
  if (records.length > 0 && plan.stopWhen?.({ steps: turn, toolCalls: records, usage }))
    return { reason: 'condition' }
  const limit = flags.passed ?? limitBefore(state)
  return limit && { reason: 'limit', limit }
}

function isStuck({ flags }: RunState, { toolset, stuck }: RunPlan): boolean {
  if ((flags.misshapen ?? 0) >= 3) return true
  const isRejected = Object.entries(flags.rejections ?? {}).some(
    ([name, times]) => times >= (toolset.get(name)?.settings.maxRejections ?? 3),
  )
  return isRejected || (stuck !== undefined && (flags.repeats ?? 0) >= (stuck.land ?? 3))
}

/** Whether a last answer is asked for, without tools, from what is known. */
export function canLand({ reason, limit }: Stop, { flags, usage, limits }: RunState): boolean {
  if (flags.landed || !['limit', 'stuck', 'done'].includes(reason)) return false
  if (limit === 'tokens') return usage.totalTokens < (limits.tokens ?? 0)
  return limit !== 'cost' || (usage.cost !== 'unknown' && (usage.cost ?? 0) < (limits.cost ?? 0))
}

/** Why a run ends with an answer in words. */
export function endOf({ message, finishReason }: Pick<ModelReply, 'message' | 'finishReason'>): Stop {
  if (typeof message.refusal === 'string' && message.refusal !== '') return { reason: 'refusal' }
  if (finishReason === 'length' || finishReason === 'content_filter') return { reason: finishReason }
  return { reason: 'done' }
}

/** Whether an answer has neither words nor calls. */
export function saysNothing(message: AssistantMessage): boolean {
  return textOf(message.content).trim() === '' && callsOf(message).length === 0
}
