import { excerpt, type ServerReply } from './ask-server.js'
import { demand } from './server-check.js'

export interface ReadCall {
  readonly index?: unknown
  readonly id?: unknown
  readonly type?: unknown
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
}

export interface ReadMessage {
  readonly role?: unknown
  readonly content?: unknown
  readonly tool_calls?: readonly ReadCall[] | null
}

export interface ReadChoice {
  readonly message?: ReadMessage
  readonly delta?: ReadMessage
  readonly finish_reason?: unknown
}

/** The first choice of a plain answer. @throws CheckFailed when there is none */
export function readChoice(reply: ServerReply): ReadChoice & { readonly message: ReadMessage } {
  demand(reply.status === 200, excerpt(reply))
  const [choice] = choicesOf(reply.body)
  demand(typeof choice?.message === 'object' && choice.message !== null, `no message in ${excerpt(reply)}`)
  return { ...choice, message: choice.message }
}

export function callsOf(message: ReadMessage): readonly ReadCall[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls : []
}

/** What a stream said, event by event. */
export interface ReadStream {
  /** The first choice of each chunk that has one. */
  readonly choices: readonly ReadChoice[]
  /** The parsed chunks, in order. */
  readonly chunks: readonly unknown[]
  /** Whether the last event was `[DONE]`. */
  readonly isDone: boolean
  readonly finishReason: unknown
}

/** The events of a stream, read as the documents have it and no other way. @throws CheckFailed */
export function readStream(reply: ServerReply): ReadStream {
  demand(reply.status === 200, excerpt(reply))
  const events = reply.text.split(/\r?\n\r?\n/).flatMap((block) => {
    const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
    return lines.length === 0 ? [] : [lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n')]
  })
  demand(events.length > 0, `no event in ${excerpt(reply)}`)
  const chunks = events.filter((data) => data !== '[DONE]').map(parseEvent)
  const choices = chunks.flatMap((chunk) => choicesOf(chunk).slice(0, 1))
  const finishReason = choices.findLast((choice) => Boolean(choice.finish_reason))?.finish_reason
  return { choices, chunks, isDone: events.at(-1) === '[DONE]', finishReason }
}

/** The text of a stream's deltas. */
export function textOfStream({ choices }: ReadStream): string {
  return choices.map(({ delta }) => (typeof delta?.content === 'string' ? delta.content : '')).join('')
}

/** The pieces of a stream's calls, by index, in order. */
export function piecesOf({ choices }: ReadStream): readonly (readonly ReadCall[])[] {
  const byIndex = new Map<unknown, ReadCall[]>()
  for (const piece of choices.flatMap(({ delta }) => callsOf(delta ?? {}))) {
    const before = byIndex.get(piece.index) ?? []
    byIndex.set(piece.index, [...before, piece])
  }
  return [...byIndex.values()]
}

function choicesOf(body: unknown): readonly ReadChoice[] {
  const { choices } = (body ?? {}) as { choices?: unknown }
  return Array.isArray(choices) ? choices : []
}

function parseEvent(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    demand(false, `an event that is no JSON: ${data.slice(0, 120)}`)
  }
}
