import { CapstanError, withState } from '../errors.js'
import { getOwn, setOwn } from '../json.js'
import { limitBefore } from '../limits.js'
import { kindOf } from '../option-names.js'
import type { ModelReply } from '../types/model.js'
import type { CallRecord, RunState } from '../types/state.js'
import { currentStep } from '../types/state.js'
import type { Usage } from '../usage.js'
import type { Middleware, RunView, Stop } from './middleware.js'
import type { RunContext } from './run-context.js'

/** Checks a run before its next request. */
export function stopBefore(run: RunContext): Stop | undefined {
  const { state, toolset, signal } = run
  const { flags } = state
  if (signal.aborted) return { reason: 'aborted' }
  if (flags.emptyReply) return { reason: 'done' }
  for (const [name, times] of Object.entries(flags.rejections ?? {}))
    if (times >= (toolset.get(name)?.settings.maxRejections ?? 3)) return { reason: 'stuck' }
  const stop = run.settings.hooks.stop(run)
  if (stop) return stop
  const limit = flags.wouldExceed ?? limitBefore(state)
  if (limit === undefined) return undefined
  run.parts.emit?.({ type: 'limit-reached', step: currentStep(state), limit })
  return { reason: 'limit', limit }
}

/**
 * Counts consecutive steps with only rejected calls of a tool. A step counts once, since the model has not read the
 * first rejection before it made the others. Unknown tool names count together.
 */
export function countRejections(
  before: Readonly<Record<string, number>>,
  results: readonly Pick<CallRecord, 'name' | 'status'>[],
  isTool: (name: string) => boolean,
): Record<string, number> {
  const counts = { ...before }
  const keyOf = ({ name }: Pick<CallRecord, 'name'>) => (isTool(name) ? name : unknown)
  for (const one of results)
    if (one.status === 'rejected') setOwn(counts, keyOf(one), (getOwn(before, keyOf(one)) ?? 0) + 1)
  for (const one of results) if (one.status !== 'rejected') delete counts[keyOf(one)]
  return counts
}

/** The key of unknown tool names. */
const unknown = ''

/** Returns the stop reason of a text reply. */
export function endOf({ message, finishReason }: Pick<ModelReply, 'message' | 'finishReason'>): Stop {
  if (typeof message.refusal === 'string' && message.refusal !== '') return { reason: 'refusal' }
  if (finishReason === 'length' || finishReason === 'content_filter') return { reason: finishReason }
  return { reason: 'done' }
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

/** The progress of a run, for a stop condition. */
export interface Progress {
  /** The number of replies so far. */
  readonly stepCount: number
  /** Calls finished since this run started or was resumed. */
  readonly toolCalls: readonly CallRecord[]
  readonly usage: Usage
}

/** Returns whether a run stops. Called after each step; must be a pure function of its argument. */
export type StopCondition = (progress: Progress) => boolean

/** The option `stopWhen` as a middleware: ends a run as `condition` when one of the conditions is true after a step. */
export function stopWhen(conditions: StopCondition | readonly StopCondition[]): Middleware {
  const holds = anyOf(...[conditions].flat())
  return {
    name: 'stop-when',
    shouldStop: ({ toolCalls, usage, step: stepCount }) =>
      toolCalls.length > 0 && holds({ stepCount, toolCalls, usage }) ? { reason: 'condition' } : undefined,
  }
}

/** True when all conditions are true. */
export function allOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => conditions.every((holds) => holds(progress))
}

/** True when one condition is true. */
export function anyOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => conditions.some((holds) => holds(progress))
}

/** True when no condition is true. */
export function noneOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => !conditions.some((holds) => holds(progress))
}

/** True once a call of this tool has succeeded. */
export function hasCalled(name: string): StopCondition {
  if (typeof name !== 'string')
    throw new CapstanError('invalid_request', `hasCalled takes the name of a tool, not ${kindOf(name)}.`)
  return ({ toolCalls }) => toolCalls.some((call) => call.name === name && call.status === 'ok')
}

function checkConditions(conditions: readonly unknown[]): void {
  for (const one of conditions) {
    if (typeof one === 'function') continue
    const message = `A stop condition is ${kindOf(one)}. Use a function, such as hasCalled(name).`
    throw new CapstanError('invalid_request', message)
  }
}

/**
 * Requests a final answer without tools when a limit or repetition stops a run, or when the last reply was empty. The
 * stop reason of the run stays the same. If the request fails, a `final-answer-failed` event reports it. On by default.
 */
export function finalAnswer(): Middleware {
  return {
    name: 'final-answer',
    beforeStop: (stop, run) => (mayAskFinal(stop, run) ? { note: noteOf(stop) } : undefined),
  }
}

/** Whether something is left for a last request. Its input is checked before it is sent. */
export function mayAskFinal(
  { reason, limit }: Stop,
  { isFinalAsked, usage, limits }: Pick<RunView, 'isFinalAsked' | 'usage' | 'limits'>,
): boolean {
  if (isFinalAsked || !['limit', 'stuck', 'done'].includes(reason)) return false
  if (limit === 'tokens') return usage.totalTokens < (limits.tokens ?? 0)
  return limit !== 'cost' || (usage.cost !== 'unknown' && (usage.cost ?? 0) < (limits.cost ?? 0))
}

function noteOf({ reason, limit }: Stop): string {
  if (reason === 'done') return 'Your last answer was empty. Answer with text, from what you know so far.'
  const why =
    reason === 'limit' ? `The limit of this run (${limit}) is reached` : 'This run does not get further'
  return `${why}: no more tools can be called. Give the best answer you can from what you know so far, and say what is missing.`
}
