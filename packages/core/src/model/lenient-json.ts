import { CapstanError } from '../errors.js'
import { isRecord, setOwn } from '../json.js'
import type { ContentPart } from '../types/message.js'
import type { TokenUsage } from '../usage.js'

/**
 * Follows JSON that comes in pieces, each looked at once: whether it has begun, and whether what was opened is closed.
 * It counts brackets and takes no offence: a closed text may still be no JSON.
 */
export class JsonScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #isOdd = false
  /** Whether anything but white space came. */
  isBegun = false

  /** Whether an object or a list came and is closed. */
  get isClosed(): boolean {
    return this.isBegun && !this.#isOdd && !this.#inString && this.#depth === 0
  }

  add(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#inString) at = this.#endOfString(text, at)
      else this.#bare(text.charCodeAt(at++))
    }
  }

  /** Goes to the next character that counts, or behind the text: most of what comes is strings. */
  #endOfString(text: string, from: number): number {
    marks.lastIndex = this.#escaped ? from + 1 : from
    this.#escaped = false
    if (!marks.test(text)) return text.length
    const isEnd = text.charCodeAt(marks.lastIndex - 1) === quote
    if (isEnd) this.#inString = false
    else this.#escaped = true
    return marks.lastIndex
  }

  #bare(code: number): void {
    if (isSpace(code)) return
    this.isBegun = true
    if (code === openBrace || code === openBracket) this.#depth++
    else if (this.#depth === 0) this.#isOdd = true
    else if (code === closeBrace || code === closeBracket) this.#depth--
    else if (code === quote) this.#inString = true
  }
}

/** In a string. */
const marks = /["\\]/g

const [quote, openBrace, closeBrace, openBracket, closeBracket] = [34, 123, 125, 91, 93]

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xfeff
}

/** What servers send, before anything is believed of it. */
export type RawJson = Readonly<Record<string, unknown>>

/** Whether a field says anything: `null`, `undefined` and `''` do not. */
export function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

/** Whether a field says nothing: `null`, `''`, `[]`, `{}`. Some languages write one for the other. */
export function isNothing(value: unknown): boolean {
  return !isFilled(value) || (typeof value === 'object' && Object.keys(value as object).length === 0)
}

/** Whether there is anything in a value: not `false`, `0`, `{}` or a list or record of nothing either. */
export function isTelling(value: unknown, depth = 0): boolean {
  if (typeof value === 'object' && value !== null)
    return depth > 5 || Object.values(value).some((one) => isTelling(one, depth + 1))
  return isFilled(value) && value !== false && value !== 0
}

/** Whether a JSON value has at most this many levels of lists and records. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const one of Object.values(value)) if (!isShallow(one, levels - 1)) return false
  return true
}

/** A field as text: numbers written out, anything that is no word `''`. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A word for a code in one spelling: `RateLimit`, `rate-limit` and `RATE_LIMIT` are `rate_limit`. */
export function toSnakeCase(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

/** The entries of what should be a list: also of an object by index, or one entry alone. */
function toEntries(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (isNothing(value)) return []
  if (!isRecord(value) || !Object.keys(value).every((key) => /^\d+$/.test(key))) return [value]
  return Object.entries(value).map(([key, entry]) =>
    isRecord(entry) ? { index: Number(key), ...entry } : entry,
  )
}

/** How a value begins when it is written as JSON. */
export function toExcerpt(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 200)
  } catch {
    return 'something nested too deep to be quoted'
  }
}

/** A record's own field: never one that it inherits, such as `constructor`. */
export function getOwn(record: RawJson, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

/** The choices of an answer or a chunk; undefined when they are in no form that can be read. */
export function toChoices({ choices }: RawJson): readonly RawJson[] | undefined {
  const entries = toEntries(choices).filter((entry) => entry !== null)
  return entries.every(isRecord) ? entries : undefined
}

/** The choice that counts: the one of index 0, whatever its place, or the first without an index. */
export function selectChoice(body: RawJson): RawJson | undefined {
  const choices = toChoices(body) ?? []
  return (
    choices.find(({ index }) => toText(index) === '0') ?? choices.find(({ index }) => toText(index) === '')
  )
}

// What says nothing is nothing. What says something that cannot be read is an error: dropped, it would look like an
// answer without it.

/** The message or delta of a choice. @throws CapstanError `invalid_response`, as all of these */
export function readMessage(field: 'delta' | 'message', value: unknown): RawJson | undefined {
  if (isRecord(value)) return value
  if (!isNothing(value)) throw unreadable(field, value)
  return undefined
}

/** What servers put into the choice instead of its message, where no message says it. */
export function readChoiceFields(
  choice: RawJson,
  messages: readonly (RawJson | undefined)[],
): RawJson | undefined {
  const { content = choice.text, tool_calls, function_call } = choice
  const told = Object.entries({ content, tool_calls, function_call }).filter(
    ([field, value]) => !isNothing(value) && messages.every((message) => isNothing(message?.[field])),
  )
  return told.length > 0 ? Object.fromEntries(told) : undefined
}

/** A chunk without a choice carries counts and the like: an answer in it is of another interface. */
export function rejectUnknownShape({ message, ...chunk }: RawJson): void {
  const said: RawJson = isRecord(message) ? { ...chunk, message } : chunk
  const field = ['delta', 'message', 'tool_calls', 'function_call'].find((name) => isTelling(said[name]))
  if (field !== undefined) throw unreadable(field, said[field])
}

/** A text, or parts: also a single part, and texts among parts. */
export function readContent(value: unknown): string | readonly ContentPart[] {
  if (isNothing(value)) return ''
  if (typeof value === 'string') return value
  return (Array.isArray(value) ? value : [value]).filter(isFilled).map(toPart)
}

/** The entries of `tool_calls`: a list, an object by index, or one call. */
export function readCalls(value: unknown): readonly RawJson[] {
  const entries = toEntries(value)
  const calls = entries.filter(isRecord)
  const isAnyLost = entries.some((entry) => entry !== null && !isRecord(entry))
  if (isAnyLost || (calls.length === 0 && entries.length > 0)) throw unreadable('tool_calls', value)
  return calls
}

/** The old `function_call`, as an entry of `tool_calls`. */
export function readOldCall(value: unknown): readonly RawJson[] {
  if (isNothing(value)) return []
  if (!isRecord(value)) throw unreadable('function_call', value)
  return [{ function: value }]
}

/** A part of content that is a call, as an entry of `tool_calls`; undefined for any other part. */
export function readCallPart(part: ContentPart): RawJson | undefined {
  const { type, ...entry } = part
  if (!/^(tool|function)[_-]?(use|call)$/i.test(type)) return undefined
  const { name } = isRecord(entry.function) ? entry.function : entry
  if (toText(name) === '') throw unreadable('content', part)
  return entry
}

function toPart(part: unknown): ContentPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  if (!isRecord(part) || !isPart(part)) throw unreadable('content', part)
  return { ...part, type: toText(part.type) || 'text' }
}

function isPart({ type, text, refusal }: RawJson): boolean {
  const isText = typeof text === 'string'
  return (isText || !isFilled(text)) && (isText || isFilled(type) || typeof refusal === 'string')
}

/** The error for a field that says something, but not in a form that anybody could read. */
export function unreadable(field: string, value: unknown): CapstanError {
  const excerpt = toExcerpt(value)
  const message = `The model server sent ${field} in a form that cannot be read: ${excerpt}. Nothing was run.`
  return new CapstanError('invalid_response', message, { retryable: true, evidence: { field, excerpt } })
}

/** What one entry of `tool_calls` says of a call: all of it, or a piece. */
export interface CallChunk {
  readonly id: string
  /** A label, whatever its type; `''` for none. */
  readonly index: string
  readonly name: string
  /** Arguments, or a piece of them. */
  readonly text: string
  /** Fields that nobody knows here: of the entry, and of its `function`. */
  readonly further: RawJson
  readonly inner: RawJson
}

/** Reads an entry, also one with name and arguments beside its `function`. @throws CapstanError `invalid_response` */
export function readCall(entry: RawJson): CallChunk {
  const { id, index, type: _type, function: given, ...outer } = entry
  if (!isRecord(given) && !isNothing(given)) throw unreadable('tool_calls', entry)
  const inner = new Fields(isRecord(given) ? given : {})
  const beside = new Fields(outer)
  const name = inner.take(['name']) ?? beside.take(['name'])
  const text = inner.take(argumentFields) ?? beside.take(argumentFields)
  return {
    id: toText(id),
    index: toText(index),
    name: toText(name),
    text: toJsonText(text),
    further: beside.left(),
    inner: inner.left(),
  }
}

/** Where servers put arguments: what is called so counts first. */
const argumentFields = ['arguments', 'parameters', 'input', 'args']

/** A record of which what is known is taken out; nulls say nothing. */
class Fields {
  readonly #fields: RawJson
  readonly #taken: string[] = []

  constructor(fields: RawJson) {
    this.#fields = fields
  }

  /** Takes out the first of these that there is. */
  take(names: readonly string[]): unknown {
    const name = names.find((one) => isFilled(getOwn(this.#fields, one)))
    if (name === undefined) return undefined
    this.#taken.push(name)
    return this.#fields[name]
  }

  left(): RawJson {
    const left: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(this.#fields))
      if (isFilled(value) && !this.#taken.includes(name)) setOwn(left, name, value)
    return left
  }
}

/** Arguments are text; an object is a server's slip, and is the text it stands for. */
function toJsonText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  return JSON.stringify(isShallow(value, mostLevels) ? value : cut(value, mostLevels))
}

/** Arguments of so many levels are rejected in any case, and `JSON.stringify` still takes them. */
const mostLevels = 1600

/** A JSON value with `null` in place of all that is below so many levels. */
function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {}
  for (const [name, one] of Object.entries(value))
    setOwn(copy as Record<string, unknown>, name, cut(one, levels - 1))
  return copy
}

/** The token counts of a `usage` object; undefined when it names none. */
export function toTokens(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined
  const inputTokens = toCount(usage.prompt_tokens ?? usage.input_tokens)
  const outputTokens = toCount(usage.completion_tokens ?? usage.output_tokens)
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  const sum = (inputTokens ?? 0) + (outputTokens ?? 0)
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    totalTokens: toCount(usage.total_tokens) ?? sum,
  }
}

function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/**
 * Why a server says it ended, in one spelling. What means that the answer was cut is `length`, that it was filtered
 * `content_filter`, that it failed `error`; a word that says nothing is `''`. Others are as they came, in lower case.
 */
export function toFinishReason(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (plainest.includes(value as string)) return value as string
  const word = toSnakeCase(toText(value).trim().slice(0, longest)).replace(/^finish_?reason_/, '')
  return meanings.find(([, words]) => words.test(word))?.[0] ?? word
}

/** Of two reasons of one answer the one that counts: a later `stop` does not undo a cut. */
export function graverReason(before: string, now: string): string {
  return now === '' || gravity.indexOf(before) > gravity.indexOf(now) ? before : now
}

/** Whether a reason promises calls. */
export function promisesCalls(reason: string): boolean {
  return /^(tool|function)_?(calls?|use)$/.test(reason)
}

/** Words that are in that spelling already. */
const plainest = ['stop', 'tool_calls', 'length', 'content_filter']

/** Nobody has a longer word for it. */
const longest = 100

const gravity = ['length', 'content_filter', 'error']

const meanings: readonly (readonly [reason: string, words: RegExp])[] = [
  ['', /^(null|none|nil|undefined|unspecified|in_progress)?$/],
  ['error', /error|abort|cancel|fail|time_?d?_?out|insufficient|overload|malformed|interrupt|unavailable/],
  ['length', /length|max_(\w+_)?tokens?|token_limit|context_window|^(truncated|incomplete)$/],
  ['content_filter', /filter|safety|sensitive|moderat|blocklist|prohibited|recitation|^(refusal|spii)$/],
]

/** Whether two values are one in JSON, their fields in the same order. */
export function sameValue(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other)
  } catch {
    return false
  }
}

/** Whether two texts are one, or one JSON value with other white space. */
export function sameJson(one: string, other: string): boolean {
  if (one === other) return true
  try {
    return sameValue(JSON.parse(one), JSON.parse(other))
  } catch {
    return false
  }
}
