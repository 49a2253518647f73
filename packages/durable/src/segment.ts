import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AnyAgent,
  type AnyStep,
  type AnyToolCall,
  CapstanError,
  type Json,
  type Message,
  type RunResult,
  type RunState,
} from '@capstan/core'
import { messageOf, stoppedError } from '@capstan/core/internal'

/**
 * The end of a segment in the form in which it is stored: a run result without duplicate fields. A segment is a part of
 * a run. It starts when the run starts or a decision is made, and lasts until the run is pending or has ended.
 */
export interface SegmentEnd {
  readonly state: RunState
  readonly toolCalls: readonly AnyToolCall[]
  /** The steps without their calls, which are in `toolCalls`. */
  readonly steps: readonly Omit<AnyStep, 'toolCalls'>[]
  /** Absent if they are the same as the state's messages. */
  readonly messages?: readonly Message[]
  readonly rest: Readonly<Record<string, unknown>>
}

/** The calls and steps of a run's earlier segments. Empty for the first segment. */
export type SegmentsBefore = Partial<Pick<SegmentEnd, 'toolCalls' | 'steps'>>

/**
 * Converts a result for storage, and adds the calls and steps of earlier segments. A step that was pending is in both
 * the result and an earlier segment. In that case, the result's version is used.
 */
export function toSegmentEnd(result: RunResult, before: SegmentsBefore = {}): SegmentEnd {
  const { state, toolCalls, steps, messages, abortReason, orThrow: _, ...rest } = result
  const calls = new Set(toolCalls.map(({ callId }) => callId))
  const numbers = new Set(steps.map(({ step }) => step))
  const end = {
    state,
    toolCalls: [...(before.toolCalls ?? []).filter(({ callId }) => !calls.has(callId)), ...toolCalls],
    steps: [
      ...(before.steps ?? []).filter(({ step }) => !numbers.has(step)),
      ...steps.map(({ toolCalls: __, ...step }) => step),
    ],
    ...(messages === state.messages ? {} : { messages }),
    rest: abortReason === undefined ? rest : { ...rest, abortReason: messageOf(abortReason) },
  }
  return JSON.parse(JSON.stringify(end))
}

/**
 * Replaces the abort reason in an aborted run's result. If `reason` is undefined, removes the abort reason. Returns
 * `end` unchanged if the run was not aborted.
 */
export function withAbortReason(end: SegmentEnd, reason: string | undefined): SegmentEnd {
  if (end.state.stopReason !== 'aborted') return end
  const { abortReason: _, ...rest } = end.rest
  return { ...end, rest: reason === undefined ? rest : { ...rest, abortReason: reason } }
}

/** Restores a run's result from the end of its last segment. */
export function fromSegmentEnd({ state, toolCalls, steps, messages, rest }: SegmentEnd): RunResult {
  const result = {
    ...rest,
    state,
    toolCalls,
    steps: steps.map((step) => ({
      ...step,
      toolCalls: toolCalls.filter((call) => call.step === step.step),
    })),
    messages: messages ?? state.messages,
    orThrow() {
      if (state.stopReason !== 'done') throw stoppedError(state)
      return this
    },
  }
  return result as unknown as RunResult
}

/**
 * Returns the result of a run that was aborted while no worker was executing it. To do so, runs the agent with an
 * aborted signal.
 */
export function abortedResult(agent: AnyAgent, state: RunState): Promise<RunResult> {
  return agent.run(state, {
    signal: AbortSignal.abort(),
    allowChangedTools: true,
    silent: true,
    context: undefined as never,
  })
}

/**
 * Pauses between attempts to create a context, in milliseconds. If all attempts fail, the run ends, so the pauses must
 * be long enough to outlast short outages.
 */
const retryDelays = [100, 500, 2000, 5000]

interface ContextFactory {
  readonly context?: ((runId: string, data: Json | undefined) => unknown) | undefined
}

/** Creates a run's context. @throws CapstanError `api` after five failed attempts */
export async function createContext(
  { context }: ContextFactory,
  {
    runId,
    data,
    signal,
  }: { readonly runId: string; readonly data?: Json | undefined; readonly signal: AbortSignal },
): Promise<unknown> {
  for (let tries = 0; ; tries++)
    try {
      return await context?.(runId, data)
    } catch (cause) {
      const ms = retryDelays[tries]
      if (ms === undefined) {
        const message = `The \`context\` function failed for run "${runId}": ${cause}`
        throw new CapstanError('api', message, { cause, evidence: { runId } })
      }
      await sleep(ms, undefined, { signal })
    }
}
