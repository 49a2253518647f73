import type { AnsweredCall } from './answered-call.js'
import { idsIn, idsInJson, toCalls } from './answered-call.js'
import type { ChatMessage } from './chat-message.js'

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
