import { createHash } from 'node:crypto'
import type { ReplyUsage, ReplyWriter } from '@capstan/protocols/reply'
import type { Endpoint, ServerEvent, ServiceRequest } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import type { JsonSchema } from '../json-schema.js'
import { atPace, type Pace, waitForReply } from '../pace.js'
import { type ChatMessage, toTurn } from '../plan/conversation.js'
import { plan } from '../plan/plan.js'
import type { Scripts } from '../scripts.js'
import { fillFormat } from '../typed/fill-schema.js'
import { cutDraft, type ReplyRequest, type ResponseFormat } from './chat-request.js'
import {
  countTokens,
  type Draft,
  toDraft,
  toFragments,
  toId,
  tokensOf,
  tokensOfEvent,
  toWords,
} from './draft.js'
import { checkModel, engineHeader, type ModelNames } from './models.js'

/** Settings of the endpoints that reply to conversations. */
export interface ReplyDependencies {
  readonly models: ModelNames
  readonly scripts: Pick<Scripts, 'of'>
  /** The speed of replies. Default: no delay. */
  readonly pace?: Pace | undefined
  /** The maximum number of tokens in a prompt. Default: no limit. */
  readonly contextTokens?: number | undefined
}

/** A reply, and the data that its protocol needs to write it. */
export interface ProtocolReply<Request extends ReplyRequest> {
  readonly request: Request
  readonly draft: Draft
  /** The seed for ids and fragment lengths. Because of it, a repeated request gets the same reply. */
  readonly seed: string
  readonly usage: ReplyUsage
  readonly model: string
}

/** One of the service's protocols: parses requests and writes replies. */
interface Protocol<Request extends ReplyRequest> {
  readonly parse: (fields: ServiceRequest['fields']) => Request
  /** Returns the parts of a request that a model would read. */
  readonly asked: (fields: ServiceRequest['fields']) => readonly unknown[]
  /** Returns the reference service's message about a prompt that is too long, and the field that the message names. */
  readonly tooLong: (promptTokens: number, contextTokens: number) => readonly [message: string, param: string]
  readonly writer: (reply: ProtocolReply<Request>) => ReplyWriter<ServerEvent>
  /** Prefixes for the ids of calls and of the reply parts that have ids. */
  readonly prefixes: readonly [call: string, part: string]
}

/**
 * Replies to a conversation with tool calls or text, either completely or as a stream. If a rule in the script matches,
 * the script's reply is used. Otherwise, the planner replies. It follows rules and is not a language model.
 */
export function replyEndpoint<Request extends ReplyRequest>(
  { models, scripts, pace: usualPace, contextTokens = Number.POSITIVE_INFINITY }: ReplyDependencies,
  { parse, asked, tooLong, writer, prefixes }: Protocol<Request>,
): Endpoint {
  return async ({ fields, signal, ...caller }) => {
    const model = checkModel(fields.model, 'chat', models)
    const headers = engineHeader('chat')
    const request = parse(fields)
    const text = textOf(asked(fields))
    const promptTokens = countTokens(text)
    if (promptTokens > contextTokens)
      throw new ServiceError(400, 'context_length_exceeded', ...tooLong(promptTokens, contextTokens))
    const played = scripts.of(caller)?.(request.messages)
    const draft = cutDraft(played ?? planned(request), request.limits)
    const seed = createHash('sha256').update(text).digest('hex')
    const reply = { request, draft, seed, usage: toUsage(promptTokens, draft), model }
    const pace = played?.pace ?? usualPace
    const written = writer(reply)
    const events = writeReply(written, reply, prefixes)
    if (!request.stream) {
      if (pace) await waitForReply(pace, tokensOf(draft), signal)
      return { headers, json: written.whole() }
    }
    return { headers, events: pace ? atPace(events, pace, { tokensOf: tokensOfEvent, signal }) : events }
  }
}

/** Returns the usage. The service has no cache and no reasoning, so it reports none. */
function toUsage(inputTokens: number, draft: Draft): ReplyUsage {
  const outputTokens = tokensOf(draft)
  const totalTokens = inputTokens + outputTokens
  return { inputTokens, outputTokens, totalTokens, cachedInputTokens: 0, reasoningTokens: 0 }
}

/** Returns the events of a reply, word by word. The seed determines the ids and the fragments of arguments. */
function writeReply(
  writer: ReplyWriter<ServerEvent>,
  { draft, seed, usage }: ProtocolReply<ReplyRequest>,
  [callPrefix, partPrefix]: readonly [string, string],
) {
  const { text, refusal, finish, stoppedBy } = draft
  const isCut = finish === 'length'
  // Text may also be empty or have no words.
  const say = (kind: 'text' | 'refusal', said: string | null) =>
    said === null ? [] : ['', ...toWords(said)].flatMap((word) => writer.add(kind, word))
  const calls = draft.calls.map(({ name, arguments: args }, index) => {
    const fragments = toFragments(args, toId(partPrefix, seed, index))
    const isLast = index === draft.calls.length - 1
    return { id: toId(callPrefix, seed, index), name, fragments, isCut: isCut && isLast }
  })
  return [
    ...writer.start(),
    ...say('text', text),
    ...say('refusal', refusal),
    ...writer.addCalls(calls),
    ...writer.end({ finish, usage, isCut, stoppedBy }),
  ]
}

/** Joins the parts of a request that a model would read, to count their tokens. */
export function textOf(asked: readonly unknown[]): string {
  return asked.map((part) => JSON.stringify(part)).join('')
}

function planned({ messages, tools, choice, parallel, form }: ReplyRequest): Draft {
  return toFormattedReply(toDraft(plan({ messages, tools, choice, parallel })), form, messages)
}

/** Fills the response format of a text reply. If the conversation lacks a value, returns a refusal with the reason. */
function toFormattedReply(draft: Draft, form: ResponseFormat, messages: readonly ChatMessage[]): Draft {
  if (form.type === 'text' || draft.text === null) return draft
  if (form.type === 'json_object') return { ...draft, text: JSON.stringify(toObject(draft.text, messages)) }
  const filled = fillFormat(form, messages)
  if ('value' in filled) return { ...draft, text: JSON.stringify(filled.value) }
  const refusal = `The planner fills the response format only from the conversation and invents nothing: ${filled.flaw}.`
  return { ...draft, text: null, refusal }
}

// Fills an object without a schema with the fields that the request names, else with the results, else with the text
// reply.
function toObject(text: string, messages: readonly ChatMessage[]): unknown {
  const { calls } = toTurn(messages)
  const named = toNamedFields(messages)
  const filled = named && fillFormat({ name: 'answer', description: '', schema: named }, messages)
  if (filled && 'value' in filled) return filled.value
  if (calls.length === 0) return { answer: text }
  return {
    results: calls.map(({ name, arguments: args, result }) => ({ tool: name, arguments: args, result })),
  }
}

// Matches "with the keys city and days", in the request or the instructions.
const fieldList =
  /\b(?:keys?|fields?|properties)\s+(?:called\s+|named\s+)?((?:["'`]?\w{1,40}["'`]?(?:,\s*(?:and\s+)?|\s+and\s+)?){1,12})/i

function toNamedFields(messages: readonly ChatMessage[]): JsonSchema | undefined {
  const asking = messages.filter(({ role }) => role === 'system' || role === 'user').slice(-3)
  const [, list = ''] = fieldList.exec(asking.map(({ text }) => text.slice(0, 2000)).join('\n')) ?? []
  const names = (list.match(/\w+/g) ?? []).filter((name) => name !== 'and')
  if (names.length === 0) return undefined
  const properties = Object.fromEntries(names.map((name) => [name, { type: ['string', 'null'] }]))
  return { type: 'object', properties, required: names }
}
