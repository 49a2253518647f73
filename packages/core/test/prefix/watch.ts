// Whether each request of a model server goes on with the bytes of the one before it, in any conversation.

/** A request as it came, or a part of it. */
interface Body {
  readonly model: string
  readonly messages: readonly Told[]
  readonly tools?: readonly unknown[] | undefined
  readonly tool_choice?: unknown
}

interface Told {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: readonly { readonly id: string }[]
}

/** The parts of requests that need not be those of the request before. */
export type MayBreak = 'tools' | 'messages' | 'messages[0]' | undefined

/** A reply with the request that it answers. */
interface Answered {
  readonly body: Body
  readonly messages: readonly string[]
  readonly tools: string
}

/**
 * Watches the requests of a server. The last reply in a request tells which one was before it: the request has its bytes
 * in front, whatever happened in between.
 */
export class PrefixWatch {
  readonly #answered = new Map<string, Answered[]>()
  /** The number of requests that were compared with the one before. */
  compared = 0
  readonly #mayBreak: MayBreak

  constructor(mayBreak?: MayBreak) {
    this.#mayBreak = mayBreak
  }

  /** Returns what is not as in the request before. */
  asked(body: Body): readonly string[] {
    const last = body.messages.findLastIndex(({ role }) => role === 'assistant')
    const reply = body.messages[last]
    const key = reply ? keyOf(reply) : 'none'
    const before = key === 'none' ? [] : (this.#answered.get(key) ?? [])
    // Another agent has made the last reply, or this one in another process.
    const own = before.filter((one) => one.body.model === body.model)
    if (own.length === 0) return []
    this.compared += 1
    const found = own.map((one) => breaksOf(one, body, last))
    const breaks = found.some((one) => one.length === 0) ? [] : (found[0] ?? [])
    return breaks.filter((one) => !this.#mayBreak || !one.startsWith(this.#mayBreak))
  }

  /** Remembers a reply. Called when it is sent: the messages are those of that moment. */
  replied(body: Body, reply: Told): void {
    const messages = body.messages.map(toText)
    const answered = { body, messages, tools: JSON.stringify(body.tools ?? []) }
    const key = keyOf(reply)
    this.#answered.set(key, [...(this.#answered.get(key) ?? []), answered])
  }
}

/** An empty reply, which a run may write itself, is none. */
function keyOf({ content, tool_calls: calls }: Told): string {
  return calls?.[0]?.id ?? (content ? JSON.stringify(content) : 'none')
}

/** A message as it is sent. Whether it is trusted is not. */
function toText(message: unknown): string {
  return JSON.stringify(message, (name, value) => (name === 'taintedBy' ? undefined : value)) ?? ''
}

function breaksOf(before: Answered, { messages, tools = [] }: Body, last: number): readonly string[] {
  const has = JSON.stringify(tools)
  const isLonger = has.startsWith(before.tools.slice(0, -1)) && /"read_artifact"/.test(has)
  const breaks =
    has === before.tools || isLonger ? [] : [`tools: ${tools.length} after ${before.body.tools?.length ?? 0}`]
  // The note for a final answer, or for an empty reply, is in one request only.
  const isNote = (text: string, at: number) =>
    at === before.messages.length - 1 &&
    before.body.messages[at]?.role === 'user' &&
    (at === last || isExtended(toText(messages[at]), text))
  for (const [at, text] of before.messages.entries()) {
    const now = toText(messages[at])
    if (at < last ? now !== text && !isNote(text, at) : !isNote(text, at))
      return [...breaks, `messages[${at}]: ${now} after ${text}`]
  }
  return breaks
}

function isExtended(text: string, by: string): boolean {
  return by.startsWith(text.replace(/["\]}]+$/, ''))
}
