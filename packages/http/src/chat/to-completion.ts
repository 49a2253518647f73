import type { AnyRunResult, RunState } from '@capstan/core'
import { textOf } from '@capstan/core/wire'
import { type ChunkHead, finishOf, toToolCalls, toUsage } from './chat-chunks.js'

/** A run as one chat answer. `before` is how much of its conversation was there when it began. */
export function toCompletion(head: ChunkHead, result: AnyRunResult, before: number) {
  const { artifacts, refusal, usage, state, pending } = result
  const calls = toToolCalls(pending)
  const content = wordsOf(state, before)
  const message = {
    role: 'assistant' as const,
    content: content === '' && calls.length > 0 ? null : content,
    ...(refusal ? { refusal } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
  }
  const choice = { index: 0, message, finish_reason: finishOf(result) }
  return { ...head, object: 'chat.completion', choices: [choice] as const, usage: toUsage(usage) }
}

/** All that the agent said, as a stream would have it. */
function wordsOf({ messages }: RunState, before: number): string {
  const said = messages
    .slice(before)
    .flatMap((message) => (message.role === 'assistant' ? [textOf(message.content)] : []))
  return said.filter((text) => text !== '').join('\n\n')
}
