import { estimateTokenCount } from 'tokenx'
import { callsOf, type Message, textOf } from '../words/message.js'
import type { TokenUsage } from '../words/usage.js'

/** About how many tokens a request and its answer took, for servers that do not say. */
export function estimateTokens(asked: readonly Message[], answer: Message): TokenUsage {
  const inputTokens = estimateMessages(asked)
  const outputTokens = estimateMessages([answer])
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

/** About how many tokens messages take; each message is counted once, however often it is asked for. */
export function estimateMessages(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + tokensOf(message), 0)
}

const counts = new WeakMap<Message, number>()

function tokensOf(message: Message): number {
  const known = counts.get(message)
  if (known !== undefined) return known
  const called = callsOf(message).map((call) => `${call.function.name} ${call.function.arguments}`)
  const count = frame + estimateTokenCount([textOf(message.content), ...called].join('\n'))
  counts.set(message, count)
  return count
}

/** What a message takes besides its words: its role, and the marks around it. */
const frame = 4
