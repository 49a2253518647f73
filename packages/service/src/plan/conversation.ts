import { isDeeperThan, isRecord, mostLevels } from '../json.js'
import { artifactId } from './read-clause.js'

/** The user's last request and what has happened since. */
export interface Turn {
  readonly request: string
  /** Artifacts the request itself brought along. */
  readonly attachments: readonly string[]
  /** What came with it that nobody here can see or hear. */
  readonly unseen: readonly string[]
  /** The calls made for this request, in order. */
  readonly calls: readonly AnsweredCall[]
  /** The calls and attachments of earlier requests. */
  readonly earlier: {
    readonly artifacts: readonly string[]
    readonly calls: readonly AnsweredCall[]
    /** What the last request that made artifacts made. */
    readonly lot: readonly string[]
    /** The latest requests with their calls, oldest first. */
    readonly turns: readonly EarlierTurn[]
  }
}

/** A request that was answered. */
export interface EarlierTurn {
  readonly request: string
  readonly calls: readonly AnsweredCall[]
}

/** Reads the conversation: the last user message is the request, instructions are none. */
export function toTurn(messages: readonly ChatMessage[]): Turn {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const before = messages.slice(0, Math.max(at, 0))
  const { request, attachments } = toRequest(messages[at]?.text ?? '')
  return {
    request,
    attachments,
    unseen: unseenIn(messages[at]),
    calls: toCalls(messages.slice(at + 1)),
    earlier: toEarlier(before),
  }
}

// How far back "and in Rome?" and an answer to a question may reach.
const mostTurns = 4

function toEarlier(before: readonly ChatMessage[]): Turn['earlier'] {
  const starts = before.flatMap(({ role }, index) => (role === 'user' ? [index] : [])).slice(-mostTurns)
  const turns = starts.map((start, index) => {
    const messages = before.slice(start + 1, starts[index + 1])
    return { request: toRequest(before[start]?.text ?? '').request, calls: toCalls(messages) }
  })
  const lots = turns.map(({ calls }) => calls.flatMap(({ artifacts }) => artifacts))
  const lot = lots.findLast(({ length }) => length > 0) ?? []
  return { artifacts: before.flatMap(artifactsOf), calls: toCalls(before), lot, turns }
}

// "Attached: img_ab12cd34 (image/png, 512x512)" says what came along and is no part of the request.
const attachmentLine = /^[ \t]*Attached:.*$/gim

// In characters; with the limit on spaces in a row it bounds the work a hostile request can cause.
const longest = 20_000
const manySpaces = /(\s{20})\s+/g

function toRequest(text: string): Pick<Turn, 'request' | 'attachments'> {
  const lines = text.match(attachmentLine) ?? []
  return {
    request: text.replace(attachmentLine, '').trim().replace(manySpaces, '$1').slice(0, longest),
    attachments: idsIn(lines.join(' ')),
  }
}

function unseenIn(message: ChatMessage | undefined): readonly string[] {
  return message?.role === 'user' ? (message.unseen ?? []) : []
}

function artifactsOf(message: ChatMessage): string[] {
  if (message.role === 'tool') return idsInJson(message.text)
  return message.role === 'user' ? idsIn(message.text) : []
}

/** A call that was made and answered. */
export interface AnsweredCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** What the tool answered: JSON where it was JSON, else the text. */
  readonly result: unknown
  readonly failed: boolean
  readonly artifacts: readonly string[]
  /** The place of the message that made it: calls of one message have one round, later ones a higher. */
  readonly round: number
}

/** The calls that some messages make, each with its answer. */
export function toCalls(messages: readonly ChatMessage[]): AnsweredCall[] {
  return messages.flatMap((message, round) => {
    if (message.role !== 'assistant') return []
    const answers = messages.slice(round + 1, round + 1 + message.calls.length)
    return message.calls.map((call) => {
      const answer = answers.find((one) => one.role === 'tool' && one.callId === call.id)
      return toAnswered(call, answer?.text ?? '', round)
    })
  })
}

function toAnswered({ name, arguments: text }: MessageCall, answer: string, round: number): AnsweredCall {
  const args = parseJson(text)
  const result = parseJson(answer)
  const failed = isFailure(result)
  const artifacts = failed ? [] : idsOf(result)
  return { name, arguments: isRecord(args) ? args : {}, result, failed, artifacts, round }
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

/** The artifact ids in a result. */
function idsInJson(text: string): string[] {
  return idsOf(parseJson(text))
}

// Ids stand in values; a key such as "file_location" only looks like one.
function idsOf(value: unknown): string[] {
  if (typeof value === 'string') return idsIn(value)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsOf) : []
}

/** The artifact ids in a text, each once. */
function idsIn(text: string): string[] {
  return [...new Set(text.match(artifactId) ?? [])]
}

/** A message of the conversation, checked and reduced to what the planner reads. */
export type ChatMessage =
  | {
      readonly role: 'system' | 'user'
      readonly text: string
      /** What came with it that the planner can neither see nor hear, such as `picture`. */
      readonly unseen?: readonly string[]
    }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly MessageCall[] }
  | { readonly role: 'tool'; readonly text: string; readonly callId: string }

/** A call an assistant message made; the arguments are JSON text. */
export interface MessageCall {
  readonly id: string
  readonly name: string
  readonly arguments: string
}
