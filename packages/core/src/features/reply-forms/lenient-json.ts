import { badResponse, type CapstanError } from '../../errors.js'
import { isRecord, setOwn, withoutUndefined } from '../../json.js'
import type { ContentPart } from '../../types/message.js'
import { note } from '../../types/wire.js'
import type { TokenUsage } from '../../usage.js'

/**
 * Scans JSON that arrives in pieces, each only once: whether it has started, and whether all brackets are closed. It
 * only counts brackets: closed text may still be invalid JSON.
 */
export class JsonScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #hasStrayText = false
  /** Whether anything other than white space arrived. */
  isBegun = false

  /** Whether an object or a list arrived and is closed. */
  get isClosed(): boolean {
    return this.isBegun && !this.#hasStrayText && !this.#inString && this.#depth === 0
  }

  add(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#inString) at = this.#scanString(text, at)
      else this.#scanOutside(text.charAt(at++))
    }
  }

  /** Skips to the next significant character or the end: most of the input is strings. */
  #scanString(text: string, from: number): number {
    stringMarks.lastIndex = this.#escaped ? from + 1 : from
    this.#escaped = false
    if (!stringMarks.test(text)) return text.length
    const isEnd = text.charAt(stringMarks.lastIndex - 1) === '"'
    if (isEnd) this.#inString = false
    else this.#escaped = true
    return stringMarks.lastIndex
  }

  #scanOutside(sign: string): void {
    if (sign === '{' || sign === '[') this.#depth++
    else if (this.#depth === 0) this.#hasStrayText ||= sign.trim() !== ''
    else if (sign === '}' || sign === ']') this.#depth--
    else if (sign === '"') this.#inString = true
    this.isBegun ||= this.#hasStrayText || this.#depth > 0
  }
}

/** The significant characters within a string. */
const stringMarks = /["\\]/g

/** Maximum number of calls, items, blocks or parts of a reply: the work on each may depend on the others. */
export const maxItems = 4096

/** Unvalidated JSON from a server. */
export type RawJson = Readonly<Record<string, unknown>>

/** Whether a field has a value: `null`, `undefined` and `''` are no values. */
export function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

/** Whether a field is empty: `null`, `''`, `[]` or `{}`. Some languages write one for another. */
export function isEmptyValue(value: unknown): boolean {
  return !isFilled(value) || (typeof value === 'object' && Object.keys(value as object).length === 0)
}

/** Whether a value has content: `false`, `0` and nested empty values have none. */
export function hasContent(value: unknown, depth = 0): boolean {
  if (typeof value === 'object' && value !== null)
    return depth > 5 || Object.values(value).some((one) => hasContent(one, depth + 1))
  return isFilled(value) && value !== false && value !== 0
}

/** Whether a JSON value has at most this many levels of lists and records. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const one of Object.values(value)) if (!isShallow(one, levels - 1)) return false
  return true
}

/** Converts a field to text: numbers are written out, all but text and numbers becomes `''`. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Normalizes the spelling of a code: `RateLimit`, `rate-limit` and `RATE_LIMIT` become `rate_limit`. */
export function toSnakeCase(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

/** Returns the entries of a list. Also accepts an object by index and a single entry. */
function toEntries(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (isEmptyValue(value)) return []
  note('object-for-list', value)
  if (!isRecord(value) || !Object.keys(value).every((key) => /^\d+$/.test(key))) return [value]
  return Object.entries(value).map(([key, entry]) =>
    isRecord(entry) ? { index: Number(key), ...entry } : entry,
  )
}

/** Returns the beginning of a value as JSON. */
export function toExcerpt(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 200)
  } catch {
    return 'a value nested too deep to quote'
  }
}

// The fields of the interface: others are unknown.
export const replyFields = ['role', 'content', 'tool_calls']
export const callFields = ['id', 'type', 'function']
export const functionFields = ['name', 'arguments']
export const partFields = ['type', 'text']

/** Returns the choices of a response or chunk. Undefined if their form is unknown. */
export function toChoices({ choices }: RawJson): readonly RawJson[] | undefined {
  const entries = toEntries(choices).filter((entry) => entry !== null)
  return entries.every(isRecord) ? entries : undefined
}

/** Selects the choice with index 0, or the first one without an index. */
export function selectChoice(body: RawJson): RawJson | undefined {
  const choices = toChoices(body) ?? []
  const choice =
    choices.find(({ index }) => toText(index) === '0') ?? choices.find(({ index }) => toText(index) === '')
  if (choices.length > (choice ? 1 : 0)) note('choice-by-index', choices)
  return choice
}

// Empty fields are skipped. Non-empty fields in an unknown form are errors: skipping them would produce a reply that
// looks complete.

/**
 * Reads the message or delta of a choice.
 * @throws CapstanError `invalid_response`, like all readers below
 */
export function readMessage(field: 'delta' | 'message', value: unknown): RawJson | undefined {
  if (isRecord(value)) return value
  if (!isEmptyValue(value)) throw unreadable(field, value)
  return undefined
}

/** Reads message fields that servers put into the choice itself, if no message has them. */
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
 * Rejects a chunk without a choice that contains a message: it belongs to another interface. Such chunks normally carry
 * counts.
 */
export function rejectUnknownShape({ message, ...chunk }: RawJson): void {
  const body: RawJson = isRecord(message) ? { ...chunk, message } : chunk
  const field = ['delta', 'message', 'tool_calls', 'function_call'].find((name) => hasContent(body[name]))
  if (field !== undefined) throw unreadable(field, body[field])
}

/** Reads content: text, parts, a single part, or texts among parts. */
export function readContent(value: unknown): string | readonly ContentPart[] {
  if (isEmptyValue(value)) return ''
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) note('object-for-list', value)
  return (Array.isArray(value) ? value : [value]).filter(isFilled).map(toPart)
}

/** Reads the entries of `tool_calls`: a list, an object by index, or one call. */
export function readCalls(value: unknown): readonly RawJson[] {
  const entries = toEntries(value)
  const calls = entries.filter((entry) => entry !== null)
  if (!calls.every(isRecord) || (calls.length === 0 && entries.length > 0))
    throw unreadable('tool_calls', value)
  return calls
}

/** Reads the old `function_call` as an entry of `tool_calls`. */
export function readFunctionCall(value: unknown): readonly RawJson[] {
  if (isEmptyValue(value)) return []
  if (!isRecord(value)) throw unreadable('function_call', value)
  note('old-function-call', value)
  return [{ function: value }]
}

/** Reads a content part that is a call as an entry of `tool_calls`. Undefined for any other part. */
export function readCallPart(part: ContentPart): RawJson | undefined {
  const { type, ...entry } = part
  if (!/^(tool|function)[_-]?(use|call)$/i.test(type)) return undefined
  const { name } = isRecord(entry.function) ? entry.function : entry
  if (toText(name) === '') throw unreadable('content', part)
  note('call-in-content', part)
  return entry
}

function toPart(part: unknown): ContentPart {
  if (typeof part === 'string') return { type: 'text', text: part }
  const { type, text, refusal, inline_data, inlineData = inline_data } = Object(part) as RawJson
  // The bytes of a file as Gemini sends them, without a type.
  const isFile = isRecord(inlineData)
  const isKnown = isFilled(text) ? typeof text === 'string' : isFilled(type) || typeof refusal === 'string'
  if (!isRecord(part) || !(isFile || text === '' || isKnown)) throw unreadable('content', part)
  return { ...part, type: toText(type) || (isFile ? 'inline_data' : 'text') }
}

/** Whether a part of the content is reasoning, as Mistral sends it. */
export function isThought({ type }: ContentPart): boolean {
  return type === 'thinking'
}

/** Creates the error for a non-empty field in an unknown form. */
export function unreadable(field: string, value: unknown): CapstanError {
  const excerpt = toExcerpt(value)
  const message = `The model server sent ${field} in an unknown format: ${excerpt}. Nothing was run.`
  return badResponse(message, { field, excerpt })
}

/** One entry of `tool_calls`: a whole call or a piece of one. */
export interface CallChunk {
  readonly id: string
  /** The index as text, `''` for none. */
  readonly index: string
  readonly name: string
  /** The arguments, or a piece of them. */
  readonly text: string
  /** Whether it calls a custom tool, whose input is plain text. */
  readonly isCustom: boolean
  /** Unknown fields of the entry; `inner` has those of its `function`. */
  readonly extraFields: RawJson
  readonly extraFunctionFields: RawJson
}

/**
 * Reads an entry. Name and arguments may also be beside its `function`.
 * @throws CapstanError `invalid_response`
 */
export function readCall(entry: RawJson): CallChunk {
  const { id, index, type, function: given, ...rest } = entry
  const { custom, ...others } = rest
  const isCustom = isEmptyValue(given) && (type === 'custom' || (isRecord(custom) && 'input' in custom))
  const [rawFunction, outer] = isCustom ? [custom, others] : [given, rest]
  if (!isRecord(rawFunction) && !isEmptyValue(rawFunction)) throw unreadable('tool_calls', entry)
  const [extraFunctionFields, extraFields] = [filledFields(rawFunction), filledFields(outer)]
  const take = (names: readonly string[]) =>
    takeOut(names, extraFunctionFields) ?? takeOut(names, extraFields)
  const name = take(['name'])
  const text = take(argumentFields)
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

/** Returns a copy of the fields that have a value. */
function filledFields(record: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(record)).filter(([, value]) => isFilled(value)))
}

/** Removes the first of these fields that is there, and returns its value. */
function takeOut(names: readonly string[], fields: Record<string, unknown>): unknown {
  const name = names.find((one) => Object.hasOwn(fields, one))
  if (name === undefined) return undefined
  const value = fields[name]
  delete fields[name]
  return value
}

/** Converts arguments to text. An object is a server's mistake and is written as JSON. */
function toJsonText(value: unknown): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  note('arguments-as-object', value)
  return writeJson(value)
}

/** Writes a value of a server as JSON: without what is nested too deep for `JSON.stringify`. */
export function writeJson(value: unknown): string {
  return JSON.stringify(isShallow(value, maxLevels) ? value : truncateNesting(value, maxLevels))
}

/** Maximum nesting of arguments. Deeper ones are rejected later, and `JSON.stringify` still works at this depth. */
const maxLevels = 1600

/** Replaces everything below a nesting level with `null`. */
function truncateNesting(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {}
  for (const [name, one] of Object.entries(value))
    setOwn(copy as Record<string, unknown>, name, truncateNesting(one, levels - 1))
  return copy
}

/**
 * Reads the token counts of a `usage` object. Undefined if it has none. The cached tokens of some servers are not in
 * their input, nor the reasoning in their output: the total shows it, or the spelling. They are added.
 */
export function toTokens(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined
  const prompt = toCount(usage.prompt_tokens ?? usage.input_tokens)
  const completion = toCount(usage.completion_tokens ?? usage.output_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const input = prompt ?? 0
  const output = completion ?? 0
  const total = toCount(usage.total_tokens)
  const { prompt_tokens_details, prompt_token_details, input_tokens_details } = usage
  const inputs = [usage, prompt_tokens_details, prompt_token_details, input_tokens_details]
  const outputs = [usage, usage.completion_tokens_details, usage.output_tokens_details]
  const cached = findCount(inputs, readNames)
  const written = findCount(inputs, writeNames)
  const reasoning = findCount(outputs, reasoningNames)
  const cache = (cached ?? 0) + (written ?? 0)
  const thought = reasoning ?? 0
  const missing = total === undefined ? 0 : total - input - output
  const isMissing = missing !== thought && (missing === cache || missing === cache + thought)
  // That of Anthropic, whose `input_tokens` are those outside the cache.
  const isSpeltSo = isFilled(usage.cache_read_input_tokens) || isFilled(usage.cache_creation_input_tokens)
  const isOutside = isSpeltSo && (cache > input || (total === undefined && !isFilled(usage.prompt_tokens)))
  const inputTokens = input + (isMissing || isOutside ? cache : 0)
  const outputTokens = output + (total === inputTokens + output + thought ? thought : 0)
  return withoutUndefined({
    inputTokens,
    outputTokens,
    totalTokens: Math.max(total ?? 0, inputTokens + outputTokens),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: reasoning,
  })
}

/** OpenAI and most servers, Mistral, DeepSeek, Anthropic. Moonshot has the first beside the input. */
const readNames = ['cached_tokens', 'num_cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens']
/** OpenAI and OpenRouter, Anthropic and Qwen, LiteLLM. */
const writeNames = ['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens']
/** OpenAI and most servers, Anthropic. */
const reasoningNames = ['reasoning_tokens', 'thinking_tokens']

/** Returns the largest count under these names: a server may write one in several places. */
function findCount(records: readonly unknown[], names: readonly string[]): number | undefined {
  let most: number | undefined
  for (const record of records) {
    if (!isRecord(record)) continue
    for (const name of names) {
      const count = toCount(record[name])
      if (count !== undefined) most = Math.max(most ?? 0, count)
    }
  }
  return most
}

/** Sums of larger numbers would not be exact, and their JSON may be `null`. */
function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined
}

/**
 * Normalizes a finish reason: `length` for a cut-off reply, `content_filter` for a filtered one, `error` for a failure
 * and `''` for no information. Others are kept in lower case.
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

/** Whether a finish reason announces tool calls. */
export function promisesCalls(reason: string): boolean {
  return /^(tool|function)_?(calls?|use)$/.test(reason)
}

/** Maximum length of a finish reason in characters. */
const maxReasonLength = 100

const severity = ['length', 'content_filter', 'error']

const reasonPatterns: readonly (readonly [reason: string, words: RegExp])[] = [
  ['', /^(null|none|nil|undefined|unspecified|in_progress)?$/],
  ['error', /error|abort|cancel|fail|time_?d?_?out|insufficient|overload|malformed|interrupt|unavailable/],
  ['length', /length|max_(\w+_)?tokens?|token_limit|context_window|^(truncated|incomplete)$/],
  ['content_filter', /filter|safety|sensitive|moderat|blocklist|prohibited|recitation|^(refusal|spii)$/],
]
