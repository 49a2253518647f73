import { isRecord } from '../record.js'
import type { ChatMessage, MessageCall } from './chat-message.js'
import { artifactId } from './read-clause.js'

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

/** The user's last request and what has happened since. */
export interface Turn {
  readonly request: string
  /** Artifacts the request itself brought along. */
  readonly attachments: readonly string[]
  /** The calls made for this request, in order. */
  readonly calls: readonly AnsweredCall[]
  /** The calls and attachments of earlier requests. */
  readonly earlier: { readonly artifacts: readonly string[]; readonly calls: readonly AnsweredCall[] }
}

/** Reads the conversation: the last user message is the request, instructions are none. */
export function toTurn(messages: readonly ChatMessage[]): Turn {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const before = messages.slice(0, Math.max(at, 0))
  const { request, attachments } = toRequest(messages[at]?.text ?? '')
  return {
    request,
    attachments,
    calls: toCalls(messages.slice(at + 1)),
    earlier: { artifacts: before.flatMap(artifactsOf), calls: toCalls(before) },
  }
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

function toCalls(messages: readonly ChatMessage[]): AnsweredCall[] {
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

function artifactsOf(message: ChatMessage): string[] {
  if (message.role === 'tool') return idsOf(parseJson(message.text))
  return message.role === 'user' ? idsIn(message.text) : []
}

const failure = /^\s*(?:error|\w+error|exception|failed|failure|not run|cut off|denied|rejected)\b\s*[:.,(-]/i

function isFailure(result: unknown): boolean {
  if (typeof result === 'string') return failure.test(result)
  if (!isRecord(result)) return false
  return Boolean(result.error) || result.ok === false || result.success === false || result.status === 'error'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// Ids stand in values; a key such as "file_location" only looks like one.
function idsOf(value: unknown): string[] {
  if (typeof value === 'string') return idsIn(value)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsOf) : []
}

function idsIn(text: string): string[] {
  return [...new Set(text.match(artifactId) ?? [])]
}
