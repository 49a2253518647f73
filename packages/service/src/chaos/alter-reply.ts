import { setTimeout } from 'node:timers/promises'
import { eventStreamType } from '@capstan/protocols/sse'
import type { Reply, ServerEvent, TypedEvent } from '../http/endpoint.js'
import type { ReplyTransform } from '../http/handle-request.js'
import { Disconnect, toEventTexts } from '../http/write-reply.js'

/** The body and media type of a complete HTTP response. */
interface WireBody {
  readonly bytes: Buffer
  readonly mediaType: string
}

type Rest = Extract<Reply, { mediaType: string }>

/** Sends `reply` instead of the requested response. That response is never produced. */
export function replaceReply(reply: Reply): ReplyTransform {
  return async () => reply
}

/** Changes a chat completion: its body, or all chunks of its stream. Does not change other responses. */
export function changeChat(change: (bodies: ChatBody[]) => ChatBody[]): ReplyTransform {
  return async (answer) => {
    const reply = await answer()
    if ('json' in reply && isChatBody(reply.json)) {
      const [json] = change([structuredClone(reply.json)])
      return { ...reply, json }
    }
    if (!('events' in reply)) return reply
    const events: ServerEvent[] = []
    for await (const event of reply.events) events.push(event)
    const chunks = events.flatMap((event): ChatBody[] => (typeof event === 'string' ? JSON.parse(event) : []))
    if (chunks.length < events.length) return { ...reply, events }
    return { ...reply, events: change(chunks).map((chunk) => JSON.stringify(chunk)) }
  }
}

/** Changes each chat completion or chunk in place. */
export function changeEachChunk(change: (body: ChatBody) => void): ReplyTransform {
  return changeChat((bodies) => {
    bodies.forEach(change)
    return bodies
  })
}

/** Changes the usage in a response or in the events of a stream. `seed` is the end of the reply's id. */
export function changeUsage(change: (usage: Record<string, unknown>, seed: string) => void): ReplyTransform {
  return async (answer) => {
    const reply = await answer()
    let seed = ''
    const visit = (given: unknown): unknown => {
      const body = structuredClone(given) as UsageHolder
      const holder = [body, body.response, body.message].find((one) => one?.usage)
      const id = body.id ?? body.response?.id ?? body.message?.id
      if (typeof id === 'string') seed = id.slice(-6)
      if (holder?.usage) change(holder.usage, seed)
      return body
    }
    if ('json' in reply) return { ...reply, json: visit(reply.json) }
    if (!('events' in reply)) return reply
    const events: ServerEvent[] = []
    for await (const event of reply.events)
      events.push(
        typeof event === 'string' ? JSON.stringify(visit(JSON.parse(event))) : (visit(event) as TypedEvent),
      )
    return { ...reply, events }
  }
}

interface UsageHolder {
  readonly id?: unknown
  readonly usage?: Record<string, unknown> | null
  readonly response?: UsageHolder
  readonly message?: UsageHolder
}

/** Changes the text of a stream's events. Does not change other responses. */
export function changeEvents(change: (text: string) => string): ReplyTransform {
  return changeStream(({ bytes, mediaType }) => ({ bytes: Buffer.from(change(bytes.toString())), mediaType }))
}

/** Replaces the bytes of a stream of events. Does not change other responses. */
export function changeStream(change: (body: WireBody, signal: AbortSignal) => Rest): ReplyTransform {
  const bend = changeBytes(change)
  return async (answer, signal) => {
    const reply = await answer()
    return 'events' in reply ? bend(async () => reply, signal) : reply
  }
}

/** Replaces the bytes of any response. Keeps the status and headers. */
export function changeBytes(change: (body: WireBody, signal: AbortSignal) => Rest): ReplyTransform {
  return async (answer, signal) => {
    const reply = await answer()
    const { status = 200, headers = {} } = reply
    return { status, headers, ...change(await toWire(reply), signal) }
  }
}

/** Yields bytes in up to 300 small pieces, with a pause between them. */
export async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const length = Math.max(3, Math.ceil(bytes.length / 300))
  for (let at = 0; at < bytes.length; at += length) {
    yield bytes.subarray(at, at + length)
    await setTimeout(1)
  }
}

/** Yields the first half of the bytes, then closes the connection. */
export async function* halfOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, Math.ceil(bytes.length / 2))
  // Lets the written bytes be sent before the connection closes.
  await setTimeout(20)
  throw new Disconnect('cut')
}

/** Yields all bytes, then nothing until the client disconnects. */
export async function* thenSilence(bytes: Buffer, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  yield bytes
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

async function toWire(reply: Reply): Promise<WireBody> {
  if ('json' in reply)
    return { bytes: Buffer.from(JSON.stringify(reply.json)), mediaType: 'application/json' }
  if ('bytes' in reply) return { bytes: Buffer.from(reply.bytes), mediaType: reply.mediaType }
  const parts: Buffer[] = []
  if ('stream' in reply) {
    for await (const chunk of reply.stream) parts.push(Buffer.from(chunk))
    return { bytes: Buffer.concat(parts), mediaType: reply.mediaType }
  }
  for await (const text of toEventTexts(reply.events)) parts.push(Buffer.from(text))
  return { bytes: Buffer.concat(parts), mediaType: eventStreamType }
}

// The fields of a chat completion that quirks change. All other fields stay the same.
export interface ChatBody {
  id?: unknown
  choices: Choice[]
}

interface Choice {
  message?: Message
  delta?: Message
  finish_reason?: unknown
}

interface Message {
  role?: unknown
  content?: unknown
  tool_calls?: Call[]
}

export interface Call {
  index?: unknown
  id?: unknown
  type?: unknown
  function: { name?: unknown; arguments?: unknown }
}

/** Whether a value is a chat completion or one of its chunks. */
export function isChatBody(value: unknown): value is ChatBody {
  return typeof value === 'object' && value !== null && 'choices' in value && Array.isArray(value.choices)
}

/** Returns the messages or deltas of a response. */
export function messagesOf({ choices }: ChatBody): Message[] {
  return choices.flatMap(({ message, delta }) => message ?? delta ?? [])
}

/** Returns the tool calls in a response, or fragments of tool calls. */
export function callsOf(body: ChatBody): Call[] {
  return messagesOf(body).flatMap(({ tool_calls }) => tool_calls ?? [])
}
