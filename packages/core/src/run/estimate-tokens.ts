import { type Message, textOf } from '../words/message.js'
import type { TokenUsage } from '../words/usage.js'

/** About how many tokens a request and its answer took, for servers that do not say: four characters each. */
export function estimateTokens(asked: readonly Message[], answer: Message): TokenUsage {
  const inputTokens = asked.reduce((sum, message) => sum + tokensOf(message), 0)
  const outputTokens = tokensOf(answer)
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function tokensOf(message: Message): number {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const called = calls.reduce(
    (sum, { function: { name, arguments: text } }) => sum + name.length + text.length,
    0,
  )
  return Math.ceil((textOf(message.content).length + called) / 4)
}
