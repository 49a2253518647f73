import { CapstanError, type ChatModel, type Message } from '@capstan/core'
import type { Ledger } from './ledger.js'

export interface ForgetfulOptions {
  /** Names of the tools that each answer calls; after them it answers in words. */
  readonly turns: readonly (readonly string[])[]
  /** The answer that it refuses to give. Default: none. */
  readonly failsAt?: number
}

/**
 * A model that never says the same twice: ids and arguments of its calls are random each time it is asked. An answer
 * that was lost and asked for again therefore shows.
 */
export function forgetfulModel(ledger: Ledger, { turns, failsAt }: ForgetfulOptions): ChatModel {
  return {
    name: 'forgetful',
    async complete({ messages, idempotencyKey }) {
      ledger.begin('model', idempotencyKey, messages)
      await later()
      const turn = messages.filter(({ role }) => role === 'assistant').length
      if (turn === failsAt) throw new CapstanError('invalid_request', `Refused (${chance()}).`)
      const calls = (turns[turn] ?? []).map((name) => ({
        id: chance(),
        type: 'function' as const,
        function: { name, arguments: JSON.stringify({ input: chance() }) },
      }))
      const message =
        calls.length > 0
          ? { role: 'assistant' as const, content: null, tool_calls: calls }
          : { role: 'assistant' as const, content: `Done: ${heard(messages)}` }
      return { message, tokens: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }
    },
  }
}

/** Something random that `isChance` finds again. */
export function chance(): string {
  return `chance-${crypto.randomUUID()}`
}

/** Each `chance()` in a text. */
export const chances = /chance-[0-9a-f-]{36}/g

/** So many turns of the event loop later: other work comes in between. */
export async function later(turns = 1): Promise<void> {
  for (let left = turns; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

/** What the model was told by tools, so that its answer shows what it was asked with. */
function heard(messages: readonly Message[]): string {
  const told = messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return told.flatMap((content) => content.match(chances) ?? [content]).join(' ')
}
