// Stores each request body as its difference from the previous body, because each request repeats the conversation so
// far.

import type { Redactor } from '@capstan/core/internal'
import type { Exchange } from '../types.js'
import type { KeptFile } from './kept-file.js'

/** A stored body, to compare the next body of the conversation with. */
interface StoredBody {
  readonly exchange: number
  readonly sent: SentBody
  /** The body without secrets, or `sent` itself if it contains none. */
  readonly shown: SentBody | Buffer
  /** How many earlier bodies must be read to restore this one. 0 if the body is stored in full. */
  readonly depth: number
}

/** The maximum `depth`. Limits how long it takes to read a body. */
const mostDepth = 63
/** How many conversations to remember. A run can have several, because sub-agents run concurrently. */
const mostConversations = 16

/** Stores one run's request bodies. */
export class BodyStore {
  readonly #file: KeptFile
  readonly #redactor: Redactor
  /** The last body of each conversation, by the conversation's id. */
  readonly #last = new Map<string, StoredBody>()

  constructor(file: KeptFile, redactor: Redactor) {
    this.#file = file
    this.#redactor = redactor
  }

  /** Stores a body and returns its location. Redacts only what has been added since the conversation's last body. */
  add(exchange: number, conversation: string, parts: readonly Uint8Array[]): Exchange['request'] {
    const sent = new SentBody(parts)
    const before = this.#last.get(conversation)
    const start = before && before.depth < mostDepth ? sharedStart(before, sent, this.#redactor) : undefined
    const from = start?.sent ?? 0
    const rest = sent.slice(from, sent.length)
    const stored = toShown(rest, this.#redactor, start !== undefined)
    // If there are no secrets, nothing needs to be copied.
    const isPlain = stored === rest && (!start || start.shown === undefined)
    const shown = isPlain ? sent : Buffer.concat([start?.shown ?? sent.slice(0, from), stored])
    this.#last.delete(conversation)
    this.#last.set(conversation, { exchange, sent, shown, depth: start && before ? before.depth + 1 : 0 })
    const [oldest] = this.#last.keys()
    if (this.#last.size > mostConversations && oldest !== undefined) this.#last.delete(oldest)
    const place = this.#file.append(stored)
    if (!start || !before) return place
    return { sameAs: { exchange: before.exchange, bytes: start.shown?.byteLength ?? from }, ...place }
  }
}

/**
 * A body, in the parts in which it was sent. The parts never change, and the bodies of a conversation share buffers.
 */
class SentBody {
  readonly parts: readonly Uint8Array[]
  readonly length: number

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts
    this.length = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Returns a copy of the bytes from `from` to `to` (exclusive). */
  slice(from: number, to: number): Buffer {
    let at = 0
    const within: Uint8Array[] = []
    for (const part of this.parts) {
      const [start, end] = [Math.max(0, from - at), Math.min(part.byteLength, to - at)]
      if (end > start) within.push(part.subarray(start, end))
      at += part.byteLength
    }
    return Buffer.concat(within)
  }
}

/** The start that a body shares with the previous body. Ends after a complete message. */
interface SharedStart {
  /** The start's length in bytes, before redaction. */
  readonly sent: number
  /** The start's bytes without secrets. Undefined if the start contains no secrets. */
  readonly shown?: Buffer
}

function sharedStart(before: StoredBody, sent: SentBody, redactor: Redactor): SharedStart | undefined {
  const end = lastBoundary(before.sent, sent, sharedBytes(before.sent, sent))
  if (end <= 0) return undefined
  const { shown } = before
  if (!Buffer.isBuffer(shown)) return { sent: end }
  const rest = toShown(before.sent.slice(end, before.sent.length), redactor, true)
  const at = shown.byteLength - rest.byteLength
  return at > 0 && shown.subarray(at).equals(rest) ? { sent: end, shown: shown.subarray(0, at) } : undefined
}

/**
 * Returns how many bytes at the start two bodies have in common. Parts in the same buffer are equal without a
 * comparison.
 */
function sharedBytes(one: SentBody, other: SentBody): number {
  let shared = 0
  for (const [index, part] of one.parts.entries()) {
    const same = other.parts[index]
    if (!same) break
    const equal = equalBytes(part, same)
    shared += equal
    if (equal < part.byteLength || equal < same.byteLength) break
  }
  return shared
}

const block = 4096

function equalBytes(one: Uint8Array, other: Uint8Array): number {
  const most = Math.min(one.byteLength, other.byteLength)
  if (one.buffer === other.buffer && one.byteOffset === other.byteOffset) return most
  let at = 0
  while (
    at + block <= most &&
    Buffer.compare(one.subarray(at, at + block), other.subarray(at, at + block)) === 0
  )
    at += block
  while (at < most && one[at] === other[at]) at += 1
  return at
}

/** The bytes between two objects in an array. Since quotes in strings are escaped, these bytes occur nowhere else. */
const between = Buffer.from('},{"')
const [closingBrace = 0, closingBracket = 0, comma = 0] = Buffer.from('}],')

function lastBoundary(one: SentBody, other: SentBody, shared: number): number {
  const [before, behind] = other.slice(shared - 1, shared + 1)
  const [behindOne] = one.slice(shared, shared + 1)
  if (behindOne === closingBracket && behind === comma && before === closingBrace) return shared
  // Searches backwards in growing blocks, because the last message can be long.
  for (let from = shared - block; ; from -= 16 * block) {
    const at = other.slice(Math.max(0, from), shared).lastIndexOf(between)
    if (at >= 0) return Math.max(0, from) + at + 1
    if (from <= 0) return 0
  }
}

/**
 * Returns bytes without their secrets, or `sent` itself if it contains none. With `isRest`, `sent` is the rest of a
 * body, which starts at a message or at the comma before it.
 */
function toShown(sent: Buffer, redactor: Redactor, isRest: boolean): Buffer {
  const text = sent.toString('utf8')
  const shown = isRest ? restWithoutSecrets(text, redactor) : redactor.text(text)
  return shown === text ? sent : Buffer.from(shown)
}

const opening = '{"messages":['

/** Redacts the rest of a body as JSON, to find values with secret names too. */
function restWithoutSecrets(text: string, redactor: Redactor): string {
  const separator = text.startsWith(',') ? ',' : ''
  const shown = redactor.text(opening + text.slice(separator.length))
  return shown.startsWith(opening) ? separator + shown.slice(opening.length) : redactor.text(text)
}
