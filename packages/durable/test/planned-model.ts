import type { ChatModel } from '@capstan/core'

/** A call that a planned model makes. */
export interface PlannedCall {
  readonly name: string
  readonly arguments?: object
  /** Default: made from the call's position. */
  readonly id?: string
}

/**
 * A deterministic model: it makes the planned calls of each step, then replies with the number of results it received.
 * Call ids show the position: `c0_1` is the second call of the first step.
 */
export function plannedModel(turns: readonly (readonly PlannedCall[])[]): ChatModel {
  return {
    name: 'planned',
    async complete({ messages }) {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      const calls = (turns[turn] ?? []).map(({ name, arguments: args = {}, id }, at) => ({
        id: id ?? `c${turn}_${at}`,
        type: 'function' as const,
        function: { name, arguments: JSON.stringify(args) },
      }))
      const told = messages.filter(({ role }) => role === 'tool').length
      const message =
        calls.length > 0
          ? { role: 'assistant' as const, content: null, tool_calls: calls }
          : { role: 'assistant' as const, content: `Done after ${told} results.` }
      return { message, tokens: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }
    },
  }
}
