// Fields of a reply that the interface does not have, and some headers, are kept, within bounds.

import {
  callFields,
  functionFields,
  isEmptyValue,
  isFilled,
  isShallow,
  partFields,
  type RawJson,
  replyFields,
  toText,
} from '../features/reply-forms/lenient-json.js'
import { getOwn, isRecord, type Json, onceFor, sameValue, setOwn } from '../json.js'
import type { Secrets } from '../secrets/secrets.js'
import type { AssistantMessage, Content, ContentPart } from '../types/message.js'
import type { ModelReply } from '../types/model.js'

/**
 * Fields with files: `image_url`, `input_audio`, `file` and `audio` of OpenAI's interface, `images` (OpenRouter),
 * `inline_data` in both spellings (Gemini), `source` (Anthropic), and what these contain.
 */
export const fileFields: readonly string[] = [
  ...['images', 'image', 'image_url', 'input_audio', 'audio', 'file', 'inline_data', 'inlineData', 'source'],
  ...['url', 'data', 'file_data', 'b64_json'],
]

interface BoundedMessage {
  readonly message: AssistantMessage
  /** Paths of omitted fields, such as `tool_calls.extra_content`. At most 20. */
  readonly omitted: readonly string[]
}

/**
 * Removes unknown fields with more than 100 levels, which `JSON.stringify` may not handle, or beyond 8 MiB of JSON in
 * total. Fields of calls are kept first, then content parts, then the rest.
 */
export function boundUnknownFields(raw: AssistantMessage): BoundedMessage {
  const budget = new FieldBudget()
  const { tool_calls: calls, content } = raw
  const bounded = {
    ...raw,
    ...(calls
      ? {
          tool_calls: calls.map((call) => ({
            ...budget.bound(call, callFields, 'tool_calls.'),
            function: budget.bound(call.function, functionFields, 'tool_calls.function.'),
          })),
        }
      : {}),
    content: boundContent(content, budget),
  }
  const message = budget.bound(bounded, replyFields)
  return { message, omitted: budget.omitted }
}

/** Fields of a body that are read elsewhere, and `obfuscation`, which OpenAI adds to hide the lengths of pieces. */
const readFields = ['object', 'created', 'choices', 'usage', 'obfuscation']

/** Collects what comes beside a message. Each piece may repeat it, and the last one has all. */
export function addFields(body: RawJson, fields: Record<string, unknown>): void {
  for (const name in body) if (isBeside(name, body[name])) setOwn(fields, name, body[name])
}

function isBeside(name: string, value: unknown): boolean {
  return !readFields.includes(name) && !isEmptyValue(value)
}

/** What a server says of its response: the names on the wire, and those in results. */
const facts = { id: 'id', model: 'model', system_fingerprint: 'systemFingerprint' }

/**
 * Splits and bounds what came beside a message in the same way, with 8 MiB of its own. `left` is what was left out of the
 * message.
 */
export function toResponse(
  body: RawJson,
  left: readonly string[] = [],
): Pick<ModelReply, 'extra' | 'response' | 'omitted'> {
  const budget = new FieldBudget()
  const response: Record<string, string> = {}
  const extra: Record<string, Json> = {}
  for (const name in body) {
    const value = body[name]
    if (!isBeside(name, value) || !budget.takes(name, value)) continue
    const fact = getOwn<string>(facts, name)
    if (fact === undefined) setOwn(extra, name, value)
    else if (toText(value) !== '') response[fact] = toText(value)
  }
  const omitted = [...left, ...budget.omitted]
  return {
    ...(isEmptyValue(response) ? {} : { response }),
    ...(isEmptyValue(extra) ? {} : { extra }),
    ...(isEmptyValue(omitted) ? {} : { omitted }),
  }
}

/** Headers that callers may want: ids of the request, and rate limits. Never cookies, logins or keys. */
const keptNames = /request-?id$|rate-?limit/i

/** Returns those of a list of names and values, by lower-case name. Undefined without any, as from most own servers. */
export function keptHeaders(list: readonly string[], secrets: Secrets): Record<string, string> | undefined {
  let kept: Record<string, string> | undefined
  for (let at = 0; at < list.length; at += 2) {
    const name = list[at] ?? ''
    if (!keptNames.test(name)) continue
    kept ??= {}
    setOwn(kept, name.toLowerCase(), secrets.hide(list[at + 1] ?? ''))
  }
  return kept
}

const maxLevels = 100
const maxCharacters = 8 * 2 ** 20
const maxOmitted = 20

/** The remaining size for unknown fields of a message. */
class FieldBudget {
  readonly omitted: string[] = []
  #charactersLeft = maxCharacters

  /** Returns the record without unknown fields that do not fit. `path` is the prefix of their names. */
  bound<Fields extends RawJson>(record: Fields, known: readonly string[], path = ''): Fields {
    const fields = Object.entries(record)
    const kept = fields.filter(([name, value]) => known.includes(name) || this.takes(name, value, path))
    return kept.length === fields.length ? record : (Object.fromEntries(kept) as Fields)
  }

  /** Whether a field fits. One that does not is noted as omitted. */
  takes(name: string, value: unknown, path = ''): boolean {
    if (this.#fits(name, value)) return true
    const place = (path + name).slice(0, 100)
    if (this.omitted.length < maxOmitted && !this.omitted.includes(place)) this.omitted.push(place)
    return false
  }

  #fits(name: string, value: unknown): boolean {
    if (value === undefined) return true
    if (!isShallow(value, maxLevels)) return false
    // They become artifacts, which the limits of a run bound.
    if (fileFields.includes(name)) return true
    // Escapes in a text are not counted: most texts have none.
    const length = name.length + (typeof value === 'string' ? value : JSON.stringify(value)).length
    if (length > this.#charactersLeft) return false
    this.#charactersLeft -= length
    return true
  }
}

function boundContent(content: Content, budget: FieldBudget): Content {
  if (!Array.isArray(content)) return content
  // Servers may reject a partial content part, so only its text is kept.
  const parts = content.flatMap((part: ContentPart) => {
    if (budget.bound(part, partFields, 'content.') === part) return part
    return part.text ? { type: part.type, text: part.text } : []
  })
  return parts.length > 0 ? parts : ''
}

/** How a value is joined with what came before. */
export interface Joining {
  /** Whether it is of a whole message, which may repeat what came before. */
  readonly isWhole?: boolean
  /** Whether what came before was pieces. */
  readonly isStreamed?: boolean
}

/**
 * Joins a value with the pieces before it, so that it goes back as one value: texts of the model are joined, records by
 * field and lists by entry, and of other values the newest one counts. Changes the records and lists before it.
 */
export function joined(
  before: unknown,
  value: unknown,
  name: string,
  how: Joining = {},
  levels = maxLevels,
): unknown {
  if (!isFilled(value) || (before !== undefined && isEmptyValue(value))) return before
  if (typeof before === 'string' && typeof value === 'string') {
    // The bytes of an entry are not in pieces. Unknown texts of a message may be.
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

/** Adds entries to a list. One that continues an entry is joined with it: the one of its index, or the last text. */
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
    // The entries of a whole list are whole.
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

/** The entries of a list that have an index. */
const byIndex = onceFor((_list: unknown[]) => new Map<string, RawJson>())

/** Returns the last entry, if this is a piece of its text: a signature ends it. */
function lastText(list: readonly unknown[], piece: RawJson, name: string): RawJson | undefined {
  const last = list.at(-1)
  if (!isRecord(last) || last.type !== piece.type || isFilled(last.signature)) return undefined
  const isText = prose.test(toText(last.type) || name)
  return isText && Object.keys(piece).some((field) => field === 'signature' || prose.test(field))
    ? last
    : undefined
}

/** Whether nothing in a piece names another thing than an entry. */
function continues(entry: RawJson, piece: RawJson): boolean {
  return Object.entries(piece).every(([name, value]) => {
    const own = getOwn(entry, name)
    if (!isFilled(own) || !isFilled(value) || own === value) return true
    if (isRecord(own) && isRecord(value)) return continues(own, value)
    return typeof value === 'string' ? !/(^|_)(id|url|title|data)$/i.test(name) : typeof value !== 'number'
  })
}

/** Names of fields with text of the model, and with its text or bytes. */
const prose = /reason|think|thought|refusal|content|(?<!con)text|transcript|summary/i
const modelText = new RegExp(`${prose.source}|^data$`, 'i')
/** Names of fields that have one value, whose last one counts. */
const single = /signature|encrypted|opaque|(^|_)(id|type|name|format|status|channel|reason)$/i

/**
 * Returns the part of a message's text that is new. The message may repeat all text so far, extend it, or be its next
 * piece. If the text came in deltas (`isStreamed`), a repeated beginning or end adds nothing. A much shorter text is a
 * piece: comparing each with all the text so far would take too long.
 */
export function newText(text: string, soFar: string, isStreamed = false): string {
  if (text.length >= soFar.length && text.startsWith(soFar)) return text.slice(soFar.length)
  if (!isStreamed || 64 * text.length < soFar.length) return text
  const isRepeated = soFar.startsWith(text) || soFar.endsWith(text) || soFar.trim() === text.trim()
  return isRepeated ? '' : text
}
