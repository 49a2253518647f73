import type { AssistantMessage, Message } from '@capstan/core'

/** A call to make. */
export interface Wish {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Temptation {
  /** The call that reads the text. */
  readonly reads: Wish
  /** The text that it follows, once a tool has returned it. */
  readonly believes: string
  /** Further calls. */
  readonly harmless: readonly Wish[]
  readonly wants: Wish
}

/** Returns the next message of the most gullible model: it follows what it reads, and tries twice. */
export function gullible(messages: readonly Message[], temptation: Temptation): AssistantMessage {
  const { reads, believes, harmless, wants } = temptation
  const made = messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  if (made.length === 0) return toMessage([reads], 0)
  if (!messages.some((message) => message.role === 'tool' && holds(message.content, believes)))
    return { role: 'assistant', content: 'There was nothing to be done.' }
  const attempts = made.filter((call) => call.function.name === wants.name).length
  if (attempts > 1) return { role: 'assistant', content: 'All is done as I was told.' }
  return toMessage(attempts === 0 ? [...harmless, wants] : [wants], made.length)
}

/** A text as it is, or inside JSON. */
function holds(content: string, words: string): boolean {
  return content.includes(words) || content.includes(JSON.stringify(words).slice(1, -1))
}

function toMessage(wishes: readonly Wish[], before: number): AssistantMessage {
  const calls = wishes.map((wish, index) => ({
    id: `call_${before + index}`,
    type: 'function' as const,
    function: { name: wish.name, arguments: JSON.stringify(wish.arguments) },
  }))
  return { role: 'assistant', content: null, tool_calls: calls }
}
