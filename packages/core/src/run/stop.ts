import { CapstanError, withState } from '../errors.js'
import { limitBefore } from '../limits.js'
import { type AssistantMessage, callsOf, textOf } from '../types/message.js'
import type { ModelReply } from '../types/model.js'
import type { LimitName, RunState, StopReason } from '../types/state.js'
import type { RunContext, RunSettings, StopCondition } from './run-context.js'

/** The reason a run stops. */
export interface Stop {
  readonly reason: StopReason
  readonly limit?: LimitName
}

/** Checks a run before its next request. */
export function stopBefore({ state, records }: RunContext, plan: RunSettings): Stop | undefined {
  const { flags, turn, usage } = state
  if (plan.signal.aborted) return { reason: 'aborted' }
  if (flags.silent) return { reason: 'done' }
  if (isStuck(state, plan)) return { reason: 'stuck' }
  if (records.length > 0 && plan.stopWhen?.({ steps: turn, toolCalls: records, usage }))
    return { reason: 'condition' }
  const limit = flags.passed ?? limitBefore(state)
  return limit && { reason: 'limit', limit }
}

function isStuck({ flags }: RunState, { toolset, stuck }: RunSettings): boolean {
  if ((flags.misshapen ?? 0) >= 3) return true
  const isRejected = Object.entries(flags.rejections ?? {}).some(
    ([name, times]) => times >= (toolset.get(name)?.settings.maxRejections ?? 3),
  )
  return isRejected || (stuck !== undefined && (flags.repeats ?? 0) >= (stuck.land ?? 3))
}

/** Whether a final answer without tools can be requested. */
export function canLand({ reason, limit }: Stop, { flags, usage, limits }: RunState): boolean {
  if (flags.landed || !['limit', 'stuck', 'done'].includes(reason)) return false
  if (limit === 'tokens') return usage.totalTokens < (limits.tokens ?? 0)
  return limit !== 'cost' || (usage.cost !== 'unknown' && (usage.cost ?? 0) < (limits.cost ?? 0))
}

/** Returns the stop reason of a text reply. */
export function endOf({ message, finishReason }: Pick<ModelReply, 'message' | 'finishReason'>): Stop {
  if (typeof message.refusal === 'string' && message.refusal !== '') return { reason: 'refusal' }
  if (finishReason === 'length' || finishReason === 'content_filter') return { reason: finishReason }
  return { reason: 'done' }
}

/** Whether a reply has neither text nor calls. */
export function saysNothing(message: AssistantMessage): boolean {
  return textOf(message.content).trim() === '' && callsOf(message).length === 0
}

/** Returns the error of `orThrow()` for a run that did not end as done. */
export function stoppedError(state: RunState): CapstanError {
  const reason = state.limit ? `${state.stopReason} (${state.limit})` : state.stopReason
  const message = `The run stopped before it was done: ${reason}. error.state has its messages and usage.`
  return withState(
    new CapstanError('stopped', message, { evidence: { stopReason: state.stopReason } }),
    state,
  )
}

/** True when all conditions are true. */
export function and(...conditions: readonly StopCondition[]): StopCondition {
  return (progress) => conditions.every((holds) => holds(progress))
}

/** True when one condition is true. */
export function or(...conditions: readonly StopCondition[]): StopCondition {
  return (progress) => conditions.some((holds) => holds(progress))
}

/** True when the condition is false. */
export function not(condition: StopCondition): StopCondition {
  return (progress) => !condition(progress)
}

/** True once a call of this tool has succeeded. */
export function hasCalled(name: string): StopCondition {
  return ({ toolCalls }) => toolCalls.some((call) => call.name === name && call.status === 'ok')
}
