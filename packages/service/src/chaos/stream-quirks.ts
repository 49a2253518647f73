import { bendChat, bendEvents, bendStream, thenSilence } from './bend.js'
import { type ChatBody, isChatBody } from './chat-body.js'
import type { Quirk } from './quirk.js'

const bare = (chunk: ChatBody | undefined): ChatBody => ({ ...chunk, choices: [] })

/** Quirks of streams: how events are framed, and what stands between them. */
export const streamQuirks = {
  'no-done': {
    does: 'no `[DONE]` at the end of a stream',
    trouble: bendEvents((text) => text.replace('data: [DONE]\n\n', '')),
  },
  'open-after-done': {
    does: 'the connection stays open after `[DONE]`',
    trouble: bendStream(({ bytes, mediaType }, signal) => ({
      stream: thenSilence(bytes, signal),
      mediaType,
    })),
  },
  'error-in-stream': {
    does: 'an error event in the middle of a stream, and nothing after it',
    trouble: bendEvents((text) => {
      const events = text.split('\n\n').slice(0, 2)
      return `${[...events, 'data: {"error":{"message":"Something broke.","code":502}}'].join('\n\n')}\n\n`
    }),
  },
  crlf: {
    does: 'lines of a stream end with CR and LF',
    trouble: bendEvents((text) => text.replaceAll('\n', '\r\n')),
  },
  'no-space': {
    does: 'no space after `data:`',
    trouble: bendEvents((text) => text.replace(/^data: /gm, 'data:')),
  },
  heartbeats: {
    does: 'comments and empty events in a stream',
    trouble: bendEvents((text) => text.replace(/^(?=data: )/gm, ': still here\n\ndata:\n\n')),
  },
  'empty-choices': {
    does: 'chunks without a choice at both ends of a stream',
    trouble: bendChat((chunks) => (isWhole(chunks) ? chunks : [bare(chunks[0]), ...chunks, bare(chunks[0])])),
  },
  'stream-for-json': {
    does: 'an answer that was asked for whole comes as a stream',
    trouble: async (answer) => {
      const reply = await answer()
      if (!('json' in reply) || !isChatBody(reply.json)) return reply
      const { headers = {} } = reply
      return { headers, events: [JSON.stringify(toChunk(structuredClone(reply.json)))] }
    },
  },
} as const satisfies Record<string, Quirk>

function isWhole(bodies: readonly ChatBody[]): boolean {
  return bodies.some(({ choices }) => choices.some(({ message }) => message))
}

function toChunk(body: ChatBody): object {
  const choices = body.choices.map(({ message, ...choice }) => ({ ...choice, delta: message }))
  return { ...body, object: 'chat.completion.chunk', choices }
}
