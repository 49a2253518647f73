import { setTimeout } from 'node:timers/promises'
import type { Reply } from '../http/endpoint.js'
import type { Trouble } from '../http/handle-request.js'
import { Disconnect } from '../http/write-reply.js'

/** A whole answer as it would go over the wire. */
interface WireBody {
  readonly bytes: Buffer
  readonly mediaType: string
}

type Rest = Extract<Reply, { mediaType: string }>

/** Another answer in place of the one asked for, which is never made. */
export function instead(reply: Reply): Trouble {
  return async () => reply
}

/** The chat answer changed: its one body, or all its chunks. Other answers stay as they are. */
export function bendChat(change: (bodies: ChatBody[]) => ChatBody[]): Trouble {
  return async (answer) => {
    const reply = await answer()
    if ('json' in reply && isChatBody(reply.json)) {
      const [json] = change([structuredClone(reply.json)])
      return { ...reply, json }
    }
    if (!('events' in reply)) return reply
    const chunks: ChatBody[] = []
    for await (const event of reply.events) chunks.push(JSON.parse(event))
    return { ...reply, events: change(chunks).map((chunk) => JSON.stringify(chunk)) }
  }
}

/** Each chat answer or chunk changed where it stands. */
export function bendEach(change: (body: ChatBody) => void): Trouble {
  return bendChat((bodies) => {
    bodies.forEach(change)
    return bodies
  })
}

/** The events of a stream changed as text. Other answers stay as they are. */
export function bendEvents(change: (text: string) => string): Trouble {
  return bendStream(({ bytes, mediaType }) => ({ bytes: Buffer.from(change(bytes.toString())), mediaType }))
}

/** The events of a stream made anew from their bytes. Other answers stay as they are. */
export function bendStream(change: (body: WireBody, signal: AbortSignal) => Rest): Trouble {
  const bend = bendBytes(change)
  return async (answer, signal) => {
    const reply = await answer()
    return 'events' in reply ? bend(async () => reply, signal) : reply
  }
}

/** Any answer made anew from its bytes, with its status and headers. */
export function bendBytes(change: (body: WireBody, signal: AbortSignal) => Rest): Trouble {
  return async (answer, signal) => {
    const reply = await answer()
    const { status = 200, headers = {} } = reply
    return { status, headers, ...change(await toWire(reply), signal) }
  }
}

/** Bytes in small pieces, up to 300, with a moment between them. */
export async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  const length = Math.max(3, Math.ceil(bytes.length / 300))
  for (let at = 0; at < bytes.length; at += length) {
    yield bytes.subarray(at, at + length)
    await setTimeout(1)
  }
}

/** The first half of some bytes, and then the end of the connection. */
export async function* halfOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, Math.ceil(bytes.length / 2))
  // What was written has to be on its way before the connection ends.
  await setTimeout(20)
  throw new Disconnect('cut')
}

/** All bytes, and then nothing, until the client hangs up. */
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
  for await (const event of reply.events) parts.push(Buffer.from(`data: ${event}\n\n`))
  parts.push(Buffer.from('data: [DONE]\n\n'))
  return { bytes: Buffer.concat(parts), mediaType: 'text/event-stream; charset=utf-8' }
}

// The parts of a chat answer that quirks bend; everything else in it stays as it is.
export interface ChatBody {
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

/** Whether a value is a chat answer or a chunk of one. */
export function isChatBody(value: unknown): value is ChatBody {
  return typeof value === 'object' && value !== null && 'choices' in value && Array.isArray(value.choices)
}

/** The messages, or pieces of them, in an answer. */
export function messagesOf({ choices }: ChatBody): Message[] {
  return choices.flatMap(({ message, delta }) => message ?? delta ?? [])
}

/** The calls, or pieces of them, in an answer. */
export function callsOf(body: ChatBody): Call[] {
  return messagesOf(body).flatMap(({ tool_calls }) => tool_calls ?? [])
}
