import { badResponse, type CapstanError } from '../../errors.js'
import { getOwn, isRecord, isString, onceFor, sameValue, setOwn } from '../../json.js'
import {
  hasContent,
  isEmptyValue,
  isFilled,
  isShallow,
  maxLevels,
  type RawJson,
  toExcerpt,
  toRecords,
  toSnakeCase,
  toText,
} from '../../model/reply-fields.js'
import type { ContentPart } from '../../types/message.js'
import { note } from '../../types/model.js'

// Empty fields are skipped. Non-empty fields in an unknown form are errors, because without them the reply would look
// complete.

/**
 * Reads a choice's message or delta. Returns undefined if it is empty.
 * @throws CapstanError `invalid_response` for an unknown form, like all readers below
 */
export function readMessage(field: 'delta' | 'message', value: unknown): RawJson | undefined {
  if (isRecord(value)) return value
  if (!isEmptyValue(value)) throw unreadable(field, value)
  return undefined
}

/**
 * Reads message fields that servers put into the choice itself, if no message contains them. Undefined if there are
 * none.
 */
export function readChoiceFields(
  choice: RawJson,
  messages: readonly (RawJson | undefined)[],
): RawJson | undefined {
  const { content = choice.text, tool_calls, function_call } = choice
  const fields = Object.entries({ content, tool_calls, function_call }).filter(
    ([field, value]) => !isEmptyValue(value) && messages.every((message) => isEmptyValue(message?.[field])),
  )
  if (fields.length === 0) return undefined
  note('message-beside-choice', choice)
  return Object.fromEntries(fields)
}

/**
 * Rejects a chunk that contains a message but no choice, because it belongs to a different API. Other chunks without a
 * choice contain token counts.
 */
export function rejectUnknownShape({ message, ...chunk }: RawJson): void {
  const body: RawJson = isRecord(message) ? { ...chunk, message } : chunk
  const field = ['delta', 'message', 'tool_calls', 'function_call'].find((name) => hasContent(body[name]))
  if (field !== undefined) throw unreadable(field, body[field])
}

/** Reads content: a string, parts, a single part, or strings among parts. */
export function readContent(value: unknown): string | readonly ContentPart[] {
  if (isEmptyValue(value)) return ''
  if (isString(value)) return value
  if (!Array.isArray(value)) note('object-for-list', value)
  return [value].flat().filter(isFilled).map(toPart)
}

/** Reads the entries of `tool_calls`: an array, an object by index, or one call. */
export function readCalls(value: unknown): readonly RawJson[] {
  const calls = toRecords(value)
  if (!calls || (calls.length === 0 && !isEmptyValue(value))) throw unreadable('tool_calls', value)
  return calls
}

/** Converts the old `function_call` to an entry of `tool_calls`. Returns no entry for an empty call. */
export function readFunctionCall(value: unknown): readonly RawJson[] {
  if (isEmptyValue(value)) return []
  if (!isRecord(value)) throw unreadable('function_call', value)
  note('old-function-call', value)
  return [{ function: value }]
}

/** Converts a content part that is a call to an entry of `tool_calls`. Undefined for any other part. */
export function readCallPart(part: ContentPart): RawJson | undefined {
  const { type, ...entry } = part
  if (!/^(tool|function)[_-]?(use|call)$/i.test(type)) return undefined
  const { name } = isRecord(entry.function) ? entry.function : entry
  if (toText(name) === '') throw unreadable('content', part)
  note('call-in-content', part)
  return entry
}

function toPart(part: unknown): ContentPart {
  if (isString(part)) return { type: 'text', text: part }
  const { type, text, refusal, inline_data, inlineData = inline_data } = Object(part) as RawJson
  // Gemini sends a file's bytes like this, without a type.
  const isFile = isRecord(inlineData)
  const isKnown = isFilled(text) ? isString(text) : isFilled(type) || isString(refusal)
  if (!isRecord(part) || !(isFile || text === '' || isKnown)) throw unreadable('content', part)
  return { ...part, type: toText(type) || (isFile ? 'inline_data' : 'text') }
}

/** Creates the error for a non-empty field in an unknown form. */
export function unreadable(field: string, value: unknown): CapstanError {
  const excerpt = toExcerpt(value)
  const message = `The model server sent ${field} in an unknown format: ${excerpt}. No tool ran.`
  return badResponse(message, { field, excerpt })
}

/** An entry of `tool_calls`: a complete call or a piece of one. */
export interface ChunkEntry {
  readonly id: string
  /** The index as a string; `''` if there is none. */
  readonly index: string
  readonly name: string
  /** The arguments, or a piece of them. */
  readonly text: string
  /** Whether the entry calls a custom tool, whose input is plain text. */
  readonly isCustom: boolean
  /** Unknown fields of the entry, except those of its `function`, which are in `extraFunctionFields`. */
  readonly extraFields: RawJson
  readonly extraFunctionFields: RawJson
}

/**
 * Reads an entry of `tool_calls`. The name and arguments may also be next to `function`.
 * @throws CapstanError `invalid_response`
 */
export function readCall(entry: RawJson): ChunkEntry {
  const { id, index, type, function: given, ...rest } = entry
  const { custom, ...others } = rest
  const isCustom = isEmptyValue(given) && (type === 'custom' || (isRecord(custom) && 'input' in custom))
  const [rawFunction, outer] = isCustom ? [custom, others] : [given, rest]
  if (!isRecord(rawFunction) && !isEmptyValue(rawFunction)) throw unreadable('tool_calls', entry)
  const extraFunctionFields = filledFields(rawFunction)
  const extraFields = filledFields(outer)
  const name = takeOut(['name'], extraFunctionFields, extraFields)
  const text = takeOut(argumentFields, extraFunctionFields, extraFields)
  if (text !== undefined && !isCustom && text !== Object(rawFunction).arguments)
    note('arguments-elsewhere', entry)
  return {
    id: toText(id),
    index: toText(index),
    name: toText(name),
    text: toJsonText(text),
    isCustom,
    extraFields,
    extraFunctionFields,
  }
}

/** Fields in which servers send arguments, in order of precedence. */
const argumentFields = ['arguments', 'parameters', 'input', 'args']

/** Copies a record without its empty fields. */
function filledFields(record: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(record)).filter(([, value]) => isFilled(value)))
}

/** Removes the first of these fields that exists, and returns its value. */
function takeOut(names: readonly string[], ...records: readonly Fields[]): unknown {
  for (const fields of records)
    for (const name of names)
      if (Object.hasOwn(fields, name)) {
        const value = fields[name]
        delete fields[name]
        return value
      }
  return undefined
}

type Fields = Record<string, unknown>

/** Converts arguments to text. Some servers wrongly send an object, which becomes JSON. */
function toJsonText(value: unknown): string {
  if (value === undefined) return ''
  if (isString(value)) return value
  note('arguments-as-object', value)
  return writeJson(value)
}

/**
 * Serializes a server's value as JSON. A value too deep for `JSON.stringify` becomes a string that is later rejected
 * as too deep.
 */
export function writeJson(value: unknown): string {
  return isShallow(value, maxArgumentLevels)
    ? JSON.stringify(value)
    : '['.repeat(maxArgumentLevels) + ']'.repeat(maxArgumentLevels)
}

/**
 * The maximum nesting of arguments that are serialized. `JSON.stringify` still works at this depth, and deeper
 * arguments are rejected later.
 */
const maxArgumentLevels = 1600

/**
 * Normalizes a finish reason: `length` for a cut-off reply, `content_filter` for a filtered one, `error` for a failure
 * and `''` for no information. All other reasons are kept, in snake case.
 */
export function toFinishReason(value: unknown): string {
  if (!isFilled(value)) return ''
  const word = toSnakeCase(toText(value).trim().slice(0, maxReasonLength)).replace(/^finish_?reason_/, '')
  const reason = reasonPatterns.find(([, words]) => words.test(word))?.[0] ?? word
  if (reason !== value) note('finish-reason-read', value, { to: reason })
  return reason
}

/** Returns the more severe of two finish reasons: a later `stop` does not undo a cut-off. */
export function worseReason(before: string, now: string): string {
  return now === '' || severity.indexOf(before) > severity.indexOf(now) ? before : now
}

/** The number of characters after which a finish reason is cut. */
const maxReasonLength = 100

const severity = ['length', 'content_filter', 'error']

const reasonPatterns: readonly (readonly [reason: string, words: RegExp])[] = [
  ['', /^(null|none|nil|undefined|unspecified|in_progress)?$/],
  ['error', /error|abort|cancel|fail|time_?d?_?out|insufficient|overload|malformed|interrupt|unavailable/],
  ['length', /length|max_(\w+_)?tokens?|token_limit|context_window|^(truncated|incomplete)$/],
  ['content_filter', /filter|safety|sensitive|moderat|blocklist|prohibited|recitation|^(refusal|spii)$/],
]

/** How a value arrived, which determines how it is joined with earlier values. */
export interface Joining {
  /** Whether the value belongs to a full message, which may repeat earlier content. */
  readonly isWhole?: boolean
  /** Whether the earlier values arrived in pieces. */
  readonly isStreamed?: boolean
}

/**
 * Joins a value with its earlier pieces into the one value that is sent back. Joins strings, merges records by field
 * and arrays by entry, and keeps the newest of all other values. Changes `before` itself if it is a record or an array.
 */
export function joined(
  before: unknown,
  value: unknown,
  name: string,
  how: Joining = {},
  levels = maxLevels,
): unknown {
  if (!isFilled(value) || (before !== undefined && isEmptyValue(value))) return before
  if (isString(before) && isString(value)) {
    // An entry's bytes do not arrive in pieces. Unknown text fields of a message may.
    const names = levels < maxLevels - 1 ? prose : modelText
    const isJoined = names.test(name) || (levels === maxLevels && value !== before)
    if (single.test(name) || !isJoined) return value
    return before + (how.isWhole ? newText(value, before, how.isStreamed) : value)
  }
  if (Array.isArray(value)) {
    const isRepeated = (list: readonly unknown[]) =>
      list.length <= value.length && list.every((one, at) => sameValue(one, value[at]))
    const isPart = Array.isArray(before) && !(how.isWhole && (how.isStreamed || isRepeated(before)))
    return joinList(isPart ? before : [], value, name, how, levels)
  }
  if (!isRecord(value)) return value
  if (!isRecord(before) || levels === 0) return { ...value }
  for (const [field, one] of Object.entries(value)) {
    const own = joined(getOwn(before, field), one, field, how, levels - 1)
    if (own !== undefined) setOwn(before, field, own)
  }
  return before
}

/**
 * Adds entries to an array. An entry that continues an earlier one is joined with it: with the entry of the same index,
 * or with the last text.
 */
export function joinList(
  list: unknown[],
  entries: readonly unknown[],
  name: string,
  how: Joining = {},
  levels = maxLevels,
): unknown[] {
  const { length } = list
  for (const entry of entries) {
    if (!isRecord(entry) || !isShallow(entry, maxLevels)) {
      list.push(entry)
      continue
    }
    const key = isFilled(entry.index) && `${entry.type} ${entry.index}`
    const open = key ? byIndex(list).get(key) : lastText(list, entry, name)
    // Entries of the same complete array do not continue each other.
    if (open && continues(open, entry) && !(how.isWhole && list.length > length))
      joined(open, entry, name, how, levels - 1)
    else {
      const own = { ...entry }
      list.push(own)
      if (key) byIndex(list).set(key, own)
    }
  }
  return list
}

/** The entries of an array that have an index, by type and index. */
const byIndex = onceFor((_list: unknown[]) => new Map<string, RawJson>())

/** Returns the last entry if this piece continues its text. Text with a signature is complete. */
function lastText(list: readonly unknown[], piece: RawJson, name: string): RawJson | undefined {
  const last = list.at(-1)
  if (!isRecord(last) || last.type !== piece.type || isFilled(last.signature)) return undefined
  const isText = prose.test(toText(last.type) || name)
  return isText && Object.keys(piece).some((field) => field === 'signature' || prose.test(field))
    ? last
    : undefined
}

/** Whether a piece may continue an entry: none of its fields contradicts the entry. */
function continues(entry: RawJson, piece: RawJson): boolean {
  return Object.entries(piece).every(([name, value]) => {
    const own = getOwn(entry, name)
    if (!isFilled(own) || !isFilled(value) || own === value) return true
    if (isRecord(own) && isRecord(value)) return continues(own, value)
    return isString(value) ? !/(^|_)(id|url|title|data)$/i.test(name) : typeof value !== 'number'
  })
}

/** Matches names of fields that contain text from the model. `modelText` also matches `data`, which contains bytes. */
const prose = /reason|think|thought|refusal|content|(?<!con)text|transcript|summary/i
const modelText = RegExp(`${prose.source}|^data$`, 'i')
/** Matches names of fields that have a single value. If several values arrive, the last one applies. */
const single = /signature|encrypted|opaque|(^|_)(id|type|name|format|status|channel|reason)$/i

/**
 * Returns the new part of a message's text. The message may repeat all text so far, extend it, or be its next piece. If
 * the text so far arrived in deltas (`isStreamed`), a repeated start or end adds nothing. Much shorter text is assumed
 * to be the next piece, because comparing each piece with all text so far would take too long.
 */
export function newText(text: string, soFar: string, isStreamed = false): string {
  if (text.length >= soFar.length && text.startsWith(soFar)) return text.slice(soFar.length)
  if (!isStreamed || 64 * text.length < soFar.length) return text
  const isRepeated = soFar.startsWith(text) || soFar.endsWith(text) || soFar.trim() === text.trim()
  return isRepeated ? '' : text
}
