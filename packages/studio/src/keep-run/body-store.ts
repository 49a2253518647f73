// Request bodies as what differs from the body before. Conversations grow, and so would each body.

import type { Redactor } from '@capstan/core/internal'
import type { Exchange } from '../types.js'
import type { KeptFile } from './kept-file.js'

/** A body that was stored. */
interface StoredBody {
  readonly exchange: number
  /** As it was sent. */
  readonly sent: Buffer
  /** Without secrets. */
  readonly shown: Buffer
  /** How many bodies lie between it and one that is stored whole. */
  readonly depth: number
}

/** Every 64th body is stored whole, so that reading one is quick. */
const mostDepth = 63
/** Conversations that are compared at once: those of sub-agents run side by side. */
const mostConversations = 16

/** Stores the bodies of the requests of one run. */
export class BodyStore {
  readonly #file: KeptFile
  readonly #redactor: Redactor
  /** The last body of each conversation. */
  readonly #last = new Map<string, StoredBody>()

  constructor(file: KeptFile, redactor: Redactor) {
    this.#file = file
    this.#redactor = redactor
  }

  /** Stores a body and returns its place. Only what is new is redacted. */
  add(exchange: number, conversation: string, parts: readonly Uint8Array[]): Exchange['request'] {
    const sent = Buffer.concat(parts)
    const before = this.#last.get(conversation)
    const start = before && before.depth < mostDepth ? sharedStart(before, sent, this.#redactor) : undefined
    const shown = start ? this.#continued(sent, start) : toShown(sent, this.#redactor, false)
    this.#last.delete(conversation)
    this.#last.set(conversation, { exchange, sent, shown, depth: start && before ? before.depth + 1 : 0 })
    const [oldest] = this.#last.keys()
    if (this.#last.size > mostConversations && oldest !== undefined) this.#last.delete(oldest)
    if (!start || !before) return this.#file.append(shown)
    const bytes = start.shown.byteLength
    return { sameAs: { exchange: before.exchange, bytes }, ...this.#file.append(shown.subarray(bytes)) }
  }

  #continued(sent: Buffer, start: SharedStart): Buffer {
    const rest = sent.subarray(start.sent)
    const shown = toShown(rest, this.#redactor, true)
    // Without any secret nothing is copied.
    return start.isPlain && shown === rest ? sent : Buffer.concat([start.shown, shown])
  }
}

/** The part that a body shares with the one before it: how long it was as sent, and as it is shown. */
interface SharedStart {
  readonly sent: number
  readonly shown: Buffer
  /** Whether no secret is in it. */
  readonly isPlain: boolean
}

/** Returns the part that two bodies share, up to the end of a message: how long it was as sent, and as it is shown. */
function sharedStart(before: StoredBody, sent: Buffer, redactor: Redactor): SharedStart | undefined {
  const end = lastBoundary(before.sent, sent, sharedBytes(before.sent, sent))
  if (end <= 0) return undefined
  // Without any secret in it the bytes are the same.
  if (before.shown === before.sent) return { sent: end, shown: before.shown.subarray(0, end), isPlain: true }
  const rest = toShown(before.sent.subarray(end), redactor, true)
  const at = before.shown.byteLength - rest.byteLength
  return at > 0 && before.shown.subarray(at).equals(rest)
    ? { sent: end, shown: before.shown.subarray(0, at), isPlain: false }
    : undefined
}

const block = 4096

function sharedBytes(one: Buffer, other: Buffer): number {
  const most = Math.min(one.byteLength, other.byteLength)
  let at = 0
  while (at + block <= most && one.compare(other, at, at + block, at, at + block) === 0) at += block
  while (at < most && one[at] === other[at]) at += 1
  return at
}

/** The end of a value in a list. Quotes inside of texts are escaped, so this stands between values only. */
const between = Buffer.from('},{"')
const [closingBrace = 0, closingBracket = 0, comma = 0] = Buffer.from('}],')

function lastBoundary(one: Buffer, other: Buffer, shared: number): number {
  const isEnd = one[shared] === closingBracket && other[shared] === comma
  if (isEnd && one[shared - 1] === closingBrace) return shared
  return other.subarray(0, shared).lastIndexOf(between) + 1
}

/** Returns bytes without secrets; the same bytes when there are none. A rest begins with the comma before a message. */
function toShown(sent: Buffer, redactor: Redactor, isRest: boolean): Buffer {
  const text = sent.toString('utf8')
  const shown = isRest ? restWithoutSecrets(text, redactor) : redactor.text(text)
  return shown === text ? sent : Buffer.from(shown)
}

const opening = '{"messages":['

/** Redacts the rest of a body as the JSON that it is part of, so that values under secret names are found. */
function restWithoutSecrets(text: string, redactor: Redactor): string {
  const separator = text.startsWith(',') ? ',' : ''
  const shown = redactor.text(opening + text.slice(separator.length))
  return shown.startsWith(opening) ? separator + shown.slice(opening.length) : redactor.text(text)
}
