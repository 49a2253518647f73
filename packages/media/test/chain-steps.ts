import type { Arrived } from './media-server.js'

/** A call of a chain: the tool, and its arguments from earlier results. */
export type ChainStep = readonly [tool: string, toArguments: (seen: Seen) => object]

/** The ids in a conversation. */
interface Seen {
  /** The attached image. */
  readonly mask: string | undefined
  /** The latest image. */
  readonly newest: string | undefined
  readonly recording: string | undefined
}

interface Sent {
  readonly role: string
  readonly content: string
}

/** The next message of a model that calls one tool after another. */
export function nextOf(steps: readonly ChainStep[], { fields }: Pick<Arrived, 'fields'>): object {
  const messages = fields.messages as Sent[]
  const ids = messages.flatMap(({ content }) => content?.match(/(img|aud)_[a-z2-7]+/g) ?? [])
  const [mask, ...made] = ids.filter((id) => id.startsWith('img_'))
  const seen = { mask, newest: made.at(-1), recording: ids.find((id) => id.startsWith('aud_')) }
  const done = messages.filter(({ role }) => role === 'tool').length
  const [name, toArguments] = steps[done] ?? []
  if (name === undefined || !toArguments) return { role: 'assistant', content: 'Done.' }
  const called = { name, arguments: JSON.stringify(toArguments(seen)) }
  return {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: `call_${done}`, type: 'function', function: called }],
  }
}
