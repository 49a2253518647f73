import { isDeeperThan, isRecord, mostLevels } from '../json.js'
import { isNote, withLateResults, withoutNotes } from '../notes.js'
import { artifactId } from './clauses.js'
import { splitName } from './words.js'

/** The user's last request and the calls made since. */
export type Turn = Readonly<ReturnType<typeof toTurn>>

export interface EarlierTurn {
  readonly request: string
  readonly calls: readonly AnsweredCall[]
}

/** Reads the conversation: the last user message is the request. Instructions are not requests. */
export function toTurn(all: readonly ChatMessage[]) {
  const messages = withLateResults(all).filter(({ role, text }) => role !== 'user' || !isNote(text))
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const before = messages.slice(0, Math.max(at, 0))
  const asked = messages[at]
  const { request, attachments, isCut } = toRequest(asked?.text ?? '')
  return {
    request,
    isCut,
    attachments,
    // The kinds of attached content that the planner cannot read.
    unseen: asked
      ? all.slice(all.indexOf(asked)).flatMap((one) => (one.role === 'user' && one.unseen) || [])
      : [],
    calls: toCalls(messages.slice(at + 1)),
    earlier: toEarlier(before),
  }
}

// The number of earlier requests that "and in Rome?" or an answer may refer to.
const mostTurns = 4

// The calls and attachments of earlier requests.
function toEarlier(before: readonly ChatMessage[]) {
  const starts = before.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-mostTurns)
  const turns = starts.map((start, index) => {
    const messages = before.slice(start + 1, starts[index + 1])
    return { request: toRequest(before[start]?.text ?? '').request, calls: toCalls(messages) }
  })
  const lots = turns.map(({ calls }) => calls.flatMap(({ artifacts }) => artifacts))
  // The artifacts of the last request that created any.
  const lot = lots.findLast(({ length }) => length > 0) ?? []
  return { artifacts: before.flatMap(artifactsOf), calls: toCalls(before), lot, turns }
}

// "Attached: img_ab12cd34 (image/png, 512x512)" lists attachments and is not part of the request.
const attachmentLine = /^[ \t]*Attached:.*$/gim

// In characters. Together with the limit on repeated spaces, it limits the work that a hostile request causes.
const longest = 20_000
const manySpaces = /(\s{20})\s+/g

// The entire request may be in quotes.
const inQuotes = /^(?:"([^"]+)"|“([^“”]+)”|«([^«»]+)»|'([^']+)')[.!?]?$/

function toRequest(text: string) {
  const lines = text.match(attachmentLine) ?? []
  const plain = withoutNotes(text).replace(attachmentLine, '').trim().replace(manySpaces, '$1')
  const whole = inQuotes.exec(plain)?.slice(1).join('').trim() || plain
  const isCut = whole.length > longest
  return { request: whole.slice(0, longest), attachments: idsIn(lines.join(' ')), isCut }
}

function artifactsOf(message: ChatMessage): string[] {
  if (message.role === 'tool') return idsOf(parseJson(message.text))
  return message.role === 'user' ? idsIn(message.text) : []
}

/** A call with its result. Calls in the same message have the same round: the index of the message. */
export type AnsweredCall = Readonly<ReturnType<typeof toAnswered>>

/** Returns the calls of some messages, each with its result. */
export function toCalls(messages: readonly ChatMessage[]): AnsweredCall[] {
  return messages.flatMap((message, round) => {
    if (message.role !== 'assistant') return []
    const answers = new Map<string, string>()
    for (const one of messages.slice(round + 1, round + 1 + message.calls.length))
      if (one.role === 'tool' && !answers.has(one.callId)) answers.set(one.callId, one.text)
    return message.calls.map((call) => toAnswered(call, answers.get(call.id) ?? '', round))
  })
}

function toAnswered({ name, arguments: text }: MessageCall, answer: string, round: number) {
  const given = parseJson(text)
  const args: Readonly<Record<string, unknown>> = isRecord(given) ? given : {}
  // The text, if it is not JSON.
  const result = parseJson(answer)
  const failed = isFailure(result)
  const artifacts = failed ? [] : idsOf(result)
  return { name, arguments: args, result, failed, artifacts, round }
}

const failure = /^\s*(?:error|\w+error|exception|failed|failure|not run|cut off|denied|rejected)\b\s*[:.,(-]/i

function isFailure(result: unknown): boolean {
  if (typeof result === 'string') return failure.test(result)
  if (!isRecord(result)) return false
  return Boolean(result.error) || result.ok === false || result.success === false || result.status === 'error'
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeperThan(mostLevels, value) ? text : value
  } catch {
    return text
  }
}

// Only values contain ids. A key such as "file_location" only resembles one.
function idsOf(value: unknown): string[] {
  if (typeof value === 'string') return idsIn(value)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsOf) : []
}

function idsIn(text: string): string[] {
  return [...new Set(text.match(artifactId) ?? [])]
}

/** A checked message of the conversation, reduced to the parts that the planner reads. */
export type ChatMessage =
  | {
      readonly role: 'system' | 'user'
      readonly text: string
      /** The kinds of content that the planner cannot read, such as `picture`. */
      readonly unseen?: readonly string[]
    }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string }

/** A call in an assistant message. The arguments are JSON text. */
export interface MessageCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** Composes the reply: one sentence for each result, then the tasks that failed. */
export function composeReply(calls: readonly AnsweredCall[], notes: readonly string[]): string {
  return [...calls.map(toLine), ...notes].join('\n')
}

/** Composes a reply without calls: it introduces the planner and gives the reason. */
export function composeRefusal(tools: readonly string[], notes: readonly string[]): string {
  const self = 'I am a rule-based planner, not a language model: I choose tools and report their results.'
  if (notes.length > 0) return [...notes, self].join('\n')
  if (tools.length === 0) return `${self} This request offers no tools, so there is nothing I can do with it.`
  return `${self} None of the tools I see fits this request: ${tools.join(', ')}.`
}

function toLine(call: AnsweredCall): string {
  if (call.failed) return `${call.name} failed: ${withStop(describeFailure(call))}`
  if (call.artifacts.length > 0) return `${call.name} made ${call.artifacts.join(' and ')}.`
  return `${call.name}${toLabel(call)}: ${withStop(describeResult(call))}`
}

function toLabel({ arguments: args }: AnsweredCall): string {
  const scalars = Object.entries(args).filter(([, value]) => typeof value !== 'object')
  const shown = scalars.slice(0, 3).map(([key, value]) => `${key} ${shorten(String(value), 40)}`)
  return shown.length > 0 ? ` (${shown.join(', ')})` : ''
}

function withStop(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** Summarizes a result, without parts that repeat the arguments: `temperature -3, conditions light snow`. */
export function describeResult({ result, arguments: args }: Pick<AnsweredCall, 'result' | 'arguments'>) {
  const asked = new Set(Object.values(args).map((value) => String(value).toLowerCase()))
  return shorten(describe(result, asked), 600)
}

function describeFailure({ result }: Pick<AnsweredCall, 'result'>): string {
  const error = isRecord(result) ? (result.error ?? result.message ?? result) : result
  const text = isRecord(error) ? (error.message ?? JSON.stringify(error)) : error
  return shorten(String(text).replace(/^\s*error:?\s*/i, ''), 300)
}

function shorten(text: string, length: number): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > length ? `${plain.slice(0, length - 1).trimEnd()}…` : plain
}

const maxEntries = 12
const carriers =
  /^(?:result|results|value|values|answer|output|text|content|message|data|description|caption|transcript|transcription|translation|summary)$/

function describe(value: unknown, asked: ReadonlySet<string>): string {
  if (Array.isArray(value)) return describeList(value, asked)
  if (!isRecord(value)) return value === null || value === undefined ? 'nothing' : String(value)
  const told = Object.entries(value).filter(
    ([, inner]) => inner !== null && !asked.has(String(inner).toLowerCase()),
  )
  const entries = told.length > 0 ? told : Object.entries(value)
  if (entries.length === 0) return 'nothing'
  const [only] = entries
  if (entries.length === 1 && only && carriers.test(only[0])) return describe(only[1], asked)
  return entries
    .slice(0, maxEntries)
    .map(([key, inner]) => `${splitName(key).toLowerCase()} ${describe(inner, asked)}`)
    .join(', ')
}

function describeList(values: readonly unknown[], asked: ReadonlySet<string>): string {
  if (values.length === 0) return 'nothing'
  const items = values.slice(0, maxEntries).map((value) => describe(value, asked))
  const rest = values.length > maxEntries ? [`${values.length - maxEntries} more`] : []
  return [...items, ...rest].join(values.some((value) => typeof value === 'object') ? '; ' : ', ')
}
