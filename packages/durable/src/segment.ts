import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AnyRunResult,
  type AnyToolCall,
  CapstanError,
  type Json,
  type Message,
  type RunState,
} from '@capstan/core'
import { stoppedError } from '@capstan/core/internal'

/** What a round came to, as it is kept: a result, and nothing of it twice. */
export interface SegmentEnd {
  readonly state: RunState
  readonly toolCalls: readonly AnyToolCall[]
  /** Only where they are not those of the state. */
  readonly messages?: readonly Message[]
  readonly rest: Readonly<Record<string, unknown>>
}

export function toSegmentEnd(result: AnyRunResult, before: readonly AnyToolCall[] = []): SegmentEnd {
  const { state, toolCalls, messages, orThrow: _, ...rest } = result
  const end = {
    state,
    toolCalls: [...before, ...toolCalls],
    ...(messages === state.messages ? {} : { messages }),
    rest,
  }
  return JSON.parse(JSON.stringify(end))
}

/** The result of a round that is over, whose rounds count as one run. */
export function fromSegmentEnd({ state, toolCalls, messages, rest }: SegmentEnd): AnyRunResult {
  const result = {
    ...rest,
    state,
    toolCalls,
    messages: messages ?? state.messages,
    orThrow() {
      if (state.stopReason !== 'done') throw stoppedError(state)
      return this
    },
  }
  return result as unknown as AnyRunResult
}

/** Pauses between tries: what makes a context may be away for a moment, and a run ends by a failure for good. */
const retryDelays = [100, 500, 2000, 5000]

interface ContextFactory {
  readonly context?: ((runId: string, data: Json | undefined) => unknown) | undefined
}

/** The context of a run. @throws CapstanError `api` when it cannot be made, tried five times */
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
        const message = `The context of the run "${runId}" could not be made: ${cause}`
        throw new CapstanError('api', message, { cause, evidence: { runId } })
      }
      await sleep(ms, undefined, { signal })
    }
}
