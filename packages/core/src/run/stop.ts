import { CapstanError, withState } from '../errors.js'
import { getOwn, isString, setOwn } from '../json.js'
import { limitBefore } from '../limits.js'
import type { ModelReply } from '../types/model.js'
import type { CallRecord, LimitName, RunState } from '../types/state.js'
import { currentStep } from '../types/state.js'
import type { Stop, Toolset } from './middleware.js'
import type { RunContext } from './run-context.js'

/** Returns the reason to stop before the next request, if there is one. */
export function stopBefore(run: RunContext): Stop | undefined {
  const { state, toolset, signal } = run
  const { flags } = state
  if (signal.aborted) return { reason: 'aborted' }
  if (flags.emptyReply) return { reason: 'done' }
  for (const [name, times] of Object.entries(flags.rejections ?? {}))
    if (times >= (toolset.get(name)?.settings.maxRejections ?? 3)) return { reason: 'stuck' }
  for (const one of run.settings.hooks.shouldStop) {
    const stop = one.shouldStop(run)
    if (stop) return stop
  }
  const limit = flags.wouldExceed ?? limitBefore(state)
  return limit && limitReached(limit, run)
}

/** Emits an event for the limit that stops a run, and returns the stop. */
export function limitReached(limit: LimitName, { state, parts }: RunContext): Stop {
  parts.emit?.({ type: 'limit-reached', step: currentStep(state), limit })
  return { reason: 'limit', limit }
}

/**
 * Counts consecutive steps in which all calls to a tool were rejected. A step counts once, because the model had not
 * seen the first rejection when it made the other calls. All unknown tool names share one count.
 */
export function countRejections(
  before: Readonly<Record<string, number>> = {},
  results: readonly Pick<CallRecord, 'name' | 'status'>[],
  toolset: Pick<Toolset, 'get'>,
): Record<string, number> {
  const counts = { ...before }
  const accepted: string[] = []
  for (const { name, status } of results) {
    const key = toolset.get(name) ? name : unknown
    if (status === 'rejected') setOwn(counts, key, (getOwn(before, key) ?? 0) + 1)
    else accepted.push(key)
  }
  for (const key of accepted) delete counts[key]
  return counts
}

/** The key under which unknown tool names are counted. */
const unknown = ''

/** Returns the stop reason for a reply without calls. */
export function endOf({ message, finishReason }: Pick<ModelReply, 'message' | 'finishReason'>): Stop {
  if (isString(message.refusal) && message.refusal !== '') return { reason: 'refusal' }
  if (finishReason === 'length' || finishReason === 'content_filter') return { reason: finishReason }
  return { reason: 'done' }
}

/** Returns the error of `orThrow()` for a run that did not end as done. */
export function stoppedError(state: RunState): CapstanError {
  const { stopReason, limit, messages } = state
  const detail = limit ?? Object(messages.at(-1)).refusal
  const message = `The run ended early: ${detail ? `${stopReason} (${detail})` : stopReason}. Its state is in error.state.`
  return withState(new CapstanError('stopped', message, { evidence: { stopReason } }), state)
}
