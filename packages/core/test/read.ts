import { expect } from 'vitest'
import type { CapstanError } from '../src/errors.js'
import { replyForms } from '../src/features/reply-forms/reply-forms.js'
import { chatProtocol } from '../src/model/chat-model.js'
import { readReply } from '../src/model/read-response.js'
import { Secrets } from '../src/secrets/secrets.js'
import type { ModelDelta, TransportResponse } from '../src/types/model.js'

export const encode = (text: string) => new TextEncoder().encode(text)

/** A prepared answer; an error among its pieces breaks the connection. */
export interface Answer {
  readonly status?: number
  readonly pieces: readonly (Uint8Array | Error)[]
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** Reads an answer that comes in pieces; tells what was left unread. */
export async function read({
  status = 200,
  pieces,
  signal = new AbortController().signal,
  headers = {},
}: Answer) {
  const deltas: ModelDelta[] = []
  let unread = pieces.length
  const response: TransportResponse = {
    status,
    header: (name) => headers[name] ?? null,
    headers: () => Object.entries(headers).flat(),
    leave: () => {},
    async read(take) {
      for (const piece of pieces) {
        unread--
        if (piece instanceof Error) throw piece
        if (!take(piece)) return
      }
    },
  }
  const isTool = (name: string) => name === 'f'
  const reply = await readReply(Promise.resolve(response), {
    protocol: chatProtocol,
    forms: replyForms(),
    isTool,
    sink: (told) => deltas.push(told),
    signal,
    maxBytes: 2 ** 26,
    secrets: new Secrets(),
    server: 'test',
  })
  // The mark of the server is not a part of the answer.
  const { server: _, ...message } = reply.message
  return { ...reply, message, deltas, unread }
}

/** What reading an answer fails with. */
export const failure = (answer: Answer): Promise<CapstanError> =>
  read(answer).then(
    () => expect.unreachable('there should be no reply'),
    (error) => error,
  )

/** A chunk as an event of a stream. */
export const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`
