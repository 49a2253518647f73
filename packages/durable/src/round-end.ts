import type { AnyRunResult, AnyToolCall, Message, RunState } from '@capstan/core'
import { stoppedError } from '@capstan/core/wire'

/** What a round came to, as it is kept: a result, and nothing of it twice. */
export interface RoundEnd {
  readonly state: RunState
  readonly toolCalls: readonly AnyToolCall[]
  /** Only where they are not those of the state. */
  readonly messages?: readonly Message[]
  readonly rest: Readonly<Record<string, unknown>>
}

export function toRoundEnd(result: AnyRunResult, before: readonly AnyToolCall[] = []): RoundEnd {
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
export function fromRoundEnd({ state, toolCalls, messages, rest }: RoundEnd): AnyRunResult {
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
