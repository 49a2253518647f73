import type { WireProtocol } from '../wire-protocol.js'
import { replies, streamOf } from './message-events.js'

type Block = Readonly<Record<string, unknown>>

/** `/messages`: its requests are judged as messages of chat completions, with the blocks of each beside them. */
export const messagesWire: WireProtocol = {
  path: '/messages',
  toChat(body) {
    const { messages, ...rest } = Object(body) as { readonly messages?: unknown }
    return { ...rest, messages: Array.isArray(messages) ? messages.flatMap(toMessages) : [] }
  },
  says: (words, isStream) => (isStream ? streamOf(words) : replies([{ type: 'text', text: words }])),
}

function toMessages({
  role,
  content,
}: {
  readonly role: string
  readonly content: unknown
}): readonly unknown[] {
  if (typeof content === 'string') return [{ role, content }]
  const blocks = content as readonly Block[]
  const said = blocks.filter(({ type }) => type === 'text').map(({ text }) => text)
  if (role === 'assistant') {
    const calls = blocks.filter(({ type }) => type === 'tool_use').map(toCall)
    return [{ role, content: said.join(''), blocks, ...(calls.length > 0 ? { tool_calls: calls } : {}) }]
  }
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const others = blocks.filter(({ type }) => type !== 'tool_result')
  return [
    ...results.map((result) => ({ role: 'tool', tool_call_id: result.tool_use_id, content: result.content })),
    ...(others.length > 0 ? [{ role, content: others }] : []),
  ]
}

function toCall({ id, name, input }: Block) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}
