import { toEvent } from '@capstan/protocols/sse'
import { countTokens, lastTokens } from '../endpoints/draft.js'
import type { ReplyTransform } from '../http/handle-request.js'
import { ServiceError } from '../http/service-error.js'
import { Disconnect } from '../http/write-reply.js'
import {
  type Call,
  type ChatBody,
  callsOf,
  changeBytes,
  changeChat,
  changeEachChunk,
  changeEvents,
  changeStream,
  changeUsage,
  halfOf,
  inPieces,
  isChatBody,
  messagesOf,
  replaceReply,
  thenSilence,
} from './alter-reply.js'

// Errors with a status are sent in the format of the request's protocol.
const fail =
  (...error: ConstructorParameters<typeof ServiceError>): ReplyTransform =>
  async () => {
    throw new ServiceError(...error)
  }

const page = Buffer.from('<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>\n')
const html = { bytes: page, mediaType: 'text/html; charset=utf-8' }

/** Quirks of any response: defects of servers and proxies that affect the entire response. */
const answerQuirks = {
  'rate-limit': {
    does: '429 with `Retry-After: 1`',
    transform: fail(429, null, 'Slow down.', null, { 'retry-after': '1' }),
  },
  'server-error': {
    does: '500 with an error in JSON',
    transform: fail(500, null, 'Something broke.'),
  },
  overloaded: {
    does: '503 with an error that is a plain string',
    transform: replaceReply({ status: 503, json: { error: 'overloaded' } }),
  },
  'html-error': { does: '502 with an HTML page', transform: replaceReply({ status: 502, ...html }) },
  'html-page': { does: '200 with an HTML page', transform: replaceReply(html) },
  'error-in-ok': {
    does: '200 with an error instead of the reply',
    transform: replaceReply({ json: new ServiceError(500, null, 'Something broke.').toJSON() }),
  },
  'empty-body': {
    does: '200 with nothing',
    transform: replaceReply({ bytes: new Uint8Array(), mediaType: 'application/json' }),
  },
  reset: {
    does: 'the connection is reset before the response',
    transform: async () => {
      throw new Disconnect('reset')
    },
  },
  'cut-body': {
    does: 'half of the response, streamed or not, then the connection ends',
    transform: changeBytes(({ bytes, mediaType }) => ({ stream: halfOf(bytes), mediaType })),
  },
  'slow-bytes': {
    does: 'the response in small pieces, cut anywhere, even within a character',
    transform: changeBytes(({ bytes, mediaType }) => ({ stream: inPieces(bytes), mediaType })),
  },
  'wrong-content-type': {
    does: 'the response as `text/plain`',
    transform: changeBytes(({ bytes }) => ({ bytes, mediaType: 'text/plain' })),
  },
} as const satisfies Record<string, Quirk>

const bare = (chunk: ChatBody | undefined): ChatBody => ({ ...chunk, choices: [] })

/** Quirks of streams: how events are framed, and which lines are between them. */
const streamQuirks = {
  'no-done': {
    does: 'no `[DONE]` at the end of a stream',
    transform: changeEvents((text) => text.replace('data: [DONE]\n\n', '')),
  },
  'open-after-done': {
    does: 'the connection stays open after `[DONE]`',
    transform: changeStream(({ bytes, mediaType }, signal) => ({
      stream: thenSilence(bytes, signal),
      mediaType,
    })),
  },
  'error-in-stream': {
    does: 'an error event in the middle of a stream, and nothing after it',
    transform: changeEvents((text) => {
      const events = text.split('\n\n').slice(0, 2)
      return `${events.join('\n\n')}\n\n${errorEvent(text)}`
    }),
  },
  crlf: {
    does: 'lines of a stream end with CR and LF',
    transform: changeEvents((text) => text.replaceAll('\n', '\r\n')),
  },
  'no-space': {
    does: 'no space after `data:`',
    transform: changeEvents((text) => text.replace(/^data: /gm, 'data:')),
  },
  heartbeats: {
    does: 'comments and empty events in a stream',
    transform: changeEvents((text) =>
      text.replace(/^(?=event: |(?<!^event: .*\n)data: )/gm, ': still here\n\ndata:\n\n'),
    ),
  },
  'empty-choices': {
    does: 'chunks without a choice at both ends of a stream',
    transform: changeChat((chunks) =>
      isWhole(chunks) ? chunks : [bare(chunks[0]), ...chunks, bare(chunks[0])],
    ),
  },
  'stream-for-json': {
    does: 'a stream although the request asked for none',
    transform: async (answer) => {
      const reply = await answer()
      if (!('json' in reply) || !isChatBody(reply.json)) return reply
      const { headers = {} } = reply
      return { headers, events: [JSON.stringify(toChunk(structuredClone(reply.json)))] }
    },
  },
} as const satisfies Record<string, Quirk>

// Each protocol has its own format for an error event.
function errorEvent(text: string): string {
  const [, first] = /^event: (\w+)/.exec(text) ?? []
  const error = { type: 'api_error', message: 'Something broke.' }
  if (first === undefined) return toEvent({ data: { error: { message: error.message, code: 502 } } })
  if (first.startsWith('message')) return toEvent({ event: 'error', data: { type: 'error', error } })
  const fields = { code: 'server_error', message: error.message, param: null }
  // In the documentation, the fields are in the event. In the reference service, they are in an object. Clients read
  // one or the other.
  const told = { type: 'error', ...fields, error: { type: 'server_error', ...fields }, sequence_number: 2 }
  return toEvent({ event: 'error', data: told })
}

const eachCall = (change: (call: Call) => void) => changeEachChunk((body) => callsOf(body).forEach(change))

/** Quirks of chat completions: defects in tool calls and in the messages around them. */
const callQuirks = {
  'no-index': {
    does: 'tool calls without `index`',
    transform: eachCall((call) => delete call.index),
  },
  'index-zero': {
    does: 'every tool call has `index` 0',
    transform: eachCall((call) => {
      call.index = 0
    }),
  },
  'no-id': { does: 'tool calls without `id`', transform: eachCall((call) => delete call.id) },
  'empty-id': {
    does: '`id` and `name` are empty strings where a call continues',
    transform: eachCall((call) => {
      call.id ??= ''
      call.function.name ??= ''
    }),
  },
  'null-fields': {
    does: '`id`, `type` and `name` are null where a call continues',
    transform: eachCall((call) => {
      call.id ??= null
      call.type ??= null
      call.function.name ??= null
    }),
  },
  'number-id': {
    does: 'the `id` of a call is a number',
    transform: changeChat((bodies) => {
      const named = bodies.flatMap(callsOf).filter(({ id }) => id !== undefined)
      for (const [at, call] of named.entries()) call.id = at + 1
      return bodies
    }),
  },
  'same-id': {
    does: 'all calls of a reply have the same `id`',
    transform: eachCall((call) => {
      if (call.id !== undefined) call.id = 'call_1'
    }),
  },
  'repeated-head': {
    does: '`id` and `name` again in every piece of a call',
    transform: changeChat((bodies) => {
      const heads = new Map<unknown, Call>()
      for (const call of bodies.flatMap(callsOf)) {
        const head = heads.get(call.index) ?? call
        heads.set(call.index, head)
        Object.assign(call, { id: head.id, type: head.type })
        call.function.name = head.function.name
      }
      return bodies
    }),
  },
  'merged-fragments': {
    does: 'all calls of a stream complete, in one chunk with the finish reason',
    transform: changeChat(merged),
  },
  'object-arguments': {
    does: '`arguments` is an object, not a string',
    transform: changeChat((bodies) => withArguments(bodies, (text) => JSON.parse(text))),
  },
  'double-arguments': {
    does: '`arguments` is a JSON string inside a JSON string',
    transform: changeChat((bodies) => withArguments(bodies, (text) => JSON.stringify(text))),
  },
  'braces-first': {
    does: '`{}` in front of the arguments',
    transform: changeChat((bodies) => withArguments(bodies, (text) => `{}${text}`)),
  },
  'padded-arguments': {
    does: 'white space around the arguments',
    transform: changeChat((bodies) => withArguments(bodies, (text) => `\n ${text} \n`)),
  },
  'prefixed-name': {
    does: '`functions.` in front of the name of a tool',
    transform: eachCall(({ function: called }) => {
      if (called.name) called.name = `functions.${called.name}`
    }),
  },
  'finish-stop': {
    does: 'the finish reason of calls is `stop`',
    transform: changeEachChunk(({ choices }) => {
      for (const choice of choices) if (choice.finish_reason) choice.finish_reason = 'stop'
    }),
  },
  'content-parts': {
    does: 'content is an array of parts, not a string',
    transform: changeEachChunk((body) => {
      for (const message of messagesOf(body)) {
        if (typeof message.content === 'string') message.content = [{ type: 'text', text: message.content }]
      }
    }),
  },
} as const satisfies Record<string, Quirk>

/** Quirks of token counts: how many tokens a server reads and reports. */
const tokenQuirks = {
  'lost-context': {
    does: 'a reply to only the newest 1,024 tokens, which `usage` counts',
    transform: (answer) => answer(newestOnly),
  },
  'odd-usage': {
    does: '`prompt_tokens`, or `input_tokens`, is unrelated to the request',
    transform: changeUsage((usage, seed) => {
      const name = 'prompt_tokens' in usage ? 'prompt_tokens' : 'input_tokens'
      usage[name] = 1 + (Number.parseInt(seed, 16) % 50_000)
    }),
  },
} as const satisfies Record<string, Quirk>

/** The defects that the service can imitate, by name. */
export const quirks = {
  ...answerQuirks,
  ...streamQuirks,
  ...callQuirks,
  ...tokenQuirks,
} as const satisfies Record<string, Quirk>

export type QuirkName = keyof typeof quirks

/** Whether a quirk of this name exists. */
export function isQuirk(name: unknown): name is QuirkName {
  return typeof name === 'string' && Object.hasOwn(quirks, name)
}

/** The names of all quirks, for error messages. */
export const quirkNames = Object.keys(quirks).join(', ')

/** A known defect of servers, as a change to a response. */
interface Quirk {
  /** A short description for the documentation. */
  readonly does: string
  readonly transform: ReplyTransform
}

const window = 1024

/**
 * Keeps the newest messages that fit into the context window together with the tools. If even the newest message is too
 * long, keeps the end of it.
 */
function newestOnly(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { tools = [] } = fields
  const name = Array.isArray(fields.input) ? 'input' : 'messages'
  const messages = fields[name]
  if (!Array.isArray(messages)) return { ...fields }
  let left = window - countTokens(JSON.stringify(tools))
  const kept: unknown[] = []
  for (const message of messages.toReversed()) {
    const tokens = countTokens(JSON.stringify(message))
    if (tokens > left && kept.length > 0) break
    kept.unshift(tokens > left ? endOf(message, left) : message)
    left -= tokens
  }
  // A result without its call would be invalid.
  const start = kept.findIndex((message) => !isResult(message))
  const rest = start < 0 ? messages.slice(-1 - kept.length) : kept.slice(start)
  return { ...fields, [name]: rest.filter((message) => !isOrphan(message, rest)) }
}

function isResult(message: unknown): boolean {
  const { role, type, content } = Object(message)
  return (
    role === 'tool' ||
    type === 'function_call_output' ||
    (Array.isArray(content) && content.some((block) => Object(block).type === 'tool_result'))
  )
}

// In the Responses protocol, calls are separate items.
function isOrphan(message: unknown, all: readonly unknown[]): boolean {
  const { type, call_id: id } = Object(message)
  if (type !== 'function_call_output') return false
  return !all.some((one) => Object(one).type === 'function_call' && Object(one).call_id === id)
}

function endOf(message: unknown, tokens: number): unknown {
  const { content } = Object(message)
  return typeof content === 'string'
    ? { ...Object(message), content: lastTokens(content, tokens - 16) }
    : message
}

function isWhole(bodies: readonly ChatBody[]): boolean {
  return bodies.some(({ choices }) => choices.some(({ message }) => message))
}

function toChunk(body: ChatBody): object {
  const choices = body.choices.map(({ message, ...choice }) => ({ ...choice, delta: message }))
  return { ...body, object: 'chat.completion.chunk', choices }
}

// Joins the fragments of each call into its first fragment.
function wholeCalls(bodies: readonly ChatBody[]): Call[] {
  const whole = new Map<unknown, Call>()
  for (const piece of bodies.flatMap(callsOf)) {
    const call = whole.get(piece.index)
    if (!call) whole.set(piece.index, structuredClone(piece))
    else call.function.arguments = `${call.function.arguments ?? ''}${piece.function.arguments ?? ''}`
  }
  return [...whole.values()]
}

function withArguments(bodies: ChatBody[], change: (text: string) => unknown): ChatBody[] {
  return withCalls(bodies, (call) => {
    const { arguments: text } = call.function
    return { ...call, function: { ...call.function, arguments: change(String(text)) } }
  })
}

// Sends each call as one complete fragment.
function withCalls(bodies: ChatBody[], change: (call: Call) => Call): ChatBody[] {
  const whole = new Map(wholeCalls(bodies).map((call) => [call.index, change(call)]))
  for (const message of bodies.flatMap(messagesOf)) {
    if (!message.tool_calls) continue
    message.tool_calls = message.tool_calls.flatMap(({ index }) => {
      const call = whole.get(index)
      whole.delete(index)
      return call ?? []
    })
  }
  return bodies
}

function merged(bodies: ChatBody[]): ChatBody[] {
  const calls = wholeCalls(bodies)
  const last = bodies.find(({ choices }) =>
    choices.some(({ delta, finish_reason }) => delta && finish_reason),
  )
  if (!last || calls.length === 0) return bodies
  for (const message of messagesOf(last)) message.tool_calls = calls
  const rest = bodies.filter((body) => body !== last && callsOf(body).length === 0)
  const head = rest.filter(({ choices }) => choices.length > 0)
  return [...head, last, ...rest.filter((body) => !head.includes(body))]
}
