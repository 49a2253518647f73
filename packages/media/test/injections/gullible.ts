import type { AssistantMessage, Message } from '@capstan/core'

/** A call that is to be made. */
export interface Wish {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface Temptation {
  /** What it reads first. */
  readonly reads: Wish
  /** The words it believes, once a tool has brought them. */
  readonly believes: string
  /** What it calls besides. */
  readonly harmless: readonly Wish[]
  readonly wants: Wish
}

/** What the most gullible of models says next: it does what it reads, and tries a second time whatever came of it. */
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

/** Words as they are, or inside of JSON. */
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
