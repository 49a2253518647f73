import type { WireProtocol } from '../wire-protocol.js'
import { message, replies, streamOf } from './response-events.js'

type Item = Readonly<Record<string, unknown>>

/** `/responses`: its requests are judged as messages of chat completions, with the items of each beside them. */
export const responsesWire: WireProtocol = {
  path: '/responses',
  toChat(body) {
    const { input, ...rest } = Object(body) as { readonly input?: unknown }
    return { ...rest, messages: toMessages(Array.isArray(input) ? input : []) }
  },
  says: (words, isStream) => (isStream ? streamOf(words) : replies([message(words)])),
}

interface ChatMessage {
  readonly role: string
  readonly content: unknown
  readonly items?: Item[]
  readonly tool_calls?: unknown[]
  readonly tool_call_id?: unknown
}

function toMessages(input: readonly Item[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  let turn: Item[] = []
  const end = () => {
    if (turn.length > 0) messages.push(toTurn(turn))
    turn = []
  }
  for (const item of input) {
    const given = toGiven(item)
    if (!given) turn.push(item)
    else {
      end()
      messages.push(given)
    }
  }
  end()
  return messages
}

/** A message that the model did not write. Undefined for the items of the model. */
function toGiven({ type, role, content, call_id, output }: Item): ChatMessage | undefined {
  if (type === 'function_call_output') return { role: 'tool', tool_call_id: call_id, content: output }
  if (role === undefined || role === 'assistant') return undefined
  return { role: String(role), content }
}

function toTurn(items: Item[]): ChatMessage {
  const said = items.filter(({ role }) => role === 'assistant').map(({ content }) => toText(content))
  const calls = items.filter(({ type }) => type === 'function_call')
  return {
    role: 'assistant',
    content: said.join(''),
    items,
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ call_id: id, name, arguments: args }) => ({
            id,
            type: 'function',
            function: { name, arguments: args },
          })),
        }
      : {}),
  }
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content
  return (content as readonly { text?: string }[]).map(({ text = '' }) => text).join('')
}
