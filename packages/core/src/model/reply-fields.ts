// Reads the fields of a server's reply: values, names and counts, and unknown fields within limits.

import { getOwn, isObject, isRecord, isString, type Json, setOwn, withoutUndefined } from '../json.js'
import type { Secrets } from '../secrets/secrets.js'
import { type AssistantMessage, type ContentPart, fileFields } from '../types/message.js'
import type { ModelReply } from '../types/model.js'
import { note } from '../types/model.js'
import type { TokenUsage } from '../usage.js'

/**
 * Scans JSON that arrives in pieces, and tells whether it has started and whether all brackets are closed. Each piece
 * is scanned only once. Only brackets are counted: text that is closed may still be invalid JSON.
 */
export class JsonScanner {
  #depth = 0
  #inString = false
  #hasStrayText = false
  #isBegun = false
  /** Text that has not been scanned yet. The text is scanned only if its end matters, which is rare. */
  #unscanned = ''

  /** Whether anything other than white space has arrived. */
  get isBegun(): boolean {
    const text = this.#unscanned
    this.#unscanned = ''
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at)
      if (char <= ' ') continue
      this.#isBegun = true
      // The character that the backslash escapes may be in the next piece.
      if (char === '\\' && ++at === text.length) this.#unscanned = char
      else if (this.#inString) this.#inString = char !== '"'
      else if (char === '{' || char === '[') this.#depth++
      else if (this.#depth === 0) this.#hasStrayText = true
      else if (char === '}' || char === ']') this.#depth--
      else this.#inString = char === '"'
    }
    return this.#isBegun
  }

  /** Whether an object or an array has arrived and is closed. */
  get isClosed(): boolean {
    return this.isBegun && !this.#hasStrayText && !this.#inString && this.#depth === 0
  }

  add(text: string): void {
    this.#unscanned += text
  }
}

/**
 * Maximum number of calls, items, blocks or parts in a reply. A limit is needed, because the work for each one may grow
 * with their number.
 */
export const maxItems = 4096

/** Unvalidated JSON from a server. */
export type RawJson = Readonly<Record<string, unknown>>

/** Whether a field has a value: not `null`, `undefined` or `''`. */
export function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

/** Whether a field is empty: `null`, `''`, `[]` or `{}`. Some programming languages write one of these for another. */
export function isEmptyValue(value: unknown): boolean {
  return !isFilled(value) || (typeof value === 'object' && Object.keys(value as object).length === 0)
}

/** Whether a value has content: `false`, `0` and nested empty values have none. */
export function hasContent(value: unknown, depth = 0): boolean {
  if (isObject(value)) return depth > 5 || Object.values(value).some((one) => hasContent(one, depth + 1))
  return isFilled(value) && value !== false && value !== 0
}

/** Whether a JSON value has at most this many levels of arrays and objects. */
export function isShallow(value: unknown, levels: number): boolean {
  if (!isObject(value)) return true
  if (levels === 0) return false
  for (const one of Object.values(value)) if (!isShallow(one, levels - 1)) return false
  return true
}

/** Converts a field to text. Numbers are written as digits; anything else becomes `''`. */
export function toText(value: unknown): string {
  return isString(value) ? value : typeof value === 'number' ? String(value) : ''
}

/** Normalizes the spelling of a code: `RateLimit`, `rate-limit` and `RATE_LIMIT` become `rate_limit`. */
export function toSnakeCase(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

/** Returns the first 200 characters of a value as JSON. */
export function toExcerpt(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 200)
  } catch {
    return 'a value nested too deep to quote'
  }
}

// The fields that the interface defines. All others are unknown.
export const replyFields = ['role', 'content', 'tool_calls']
export const callFields = ['id', 'type', 'function']
export const functionFields = ['name', 'arguments']
const partFields = ['type', 'text']

/** Our own message fields, which are not sent. */
export const marks = ['incomplete', 'taintedBy', 'server', 'media', 'textForm']

/** Whether to keep a field that a server added. `path` is the prefix of the field's name, such as `tool_calls.`. */
type Keeps = (name: string, value: unknown, path: string) => boolean

/**
 * Returns a reply without the server's extra fields that `keeps` rejects. Calls `keeps` for the fields of calls, then
 * of content parts, then of the reply.
 */
export function withFields(reply: AssistantMessage, keeps: Keeps): AssistantMessage {
  const pick = <Fields extends RawJson>(record: Fields, known: readonly string[], path: string): Fields => {
    let kept = record
    for (const name of Object.keys(record))
      if (!known.includes(name) && !keeps(name, record[name], path)) {
        if (kept === record) kept = { ...record }
        delete kept[name as keyof Fields]
      }
    return kept
  }
  // Servers may reject a partial content part, so only its text is kept.
  const pickPart = (part: ContentPart) => {
    const type = part.type === 'text' || keeps(part.type, undefined, 'content.') ? part.type : 'text'
    if (pick(part, partFields, 'content.') === part && type === part.type) return part
    return part.text ? { type, text: part.text } : []
  }
  const { tool_calls: calls, content } = reply
  const whole = { ...reply }
  if (calls)
    whole.tool_calls = calls.map((call) => ({
      ...pick(call, callFields, 'tool_calls.'),
      function: pick(call.function, functionFields, 'tool_calls.function.'),
    }))
  if (Array.isArray(content)) {
    const parts = content.flatMap(pickPart)
    whole.content = parts.length > 0 ? parts : ''
  }
  return pick(whole, replyFields, '')
}

/** Returns the names of the fields that a server added to a reply, and the types of its parts other than text. */
export function furtherFieldsOf(reply: AssistantMessage): readonly string[] {
  const names: string[] = []
  withFields(reply, (name) => marks.includes(name) || names.push(name) > 0)
  return names
}

/** Returns the objects in a field such as `choices` or `tool_calls`. Undefined if an entry is not an object. */
export function toRecords(value: unknown): readonly RawJson[] | undefined {
  // Instead of an array, some servers send an object with indexes as keys, or a single entry.
  let entries = Array.isArray(value) ? value : []
  if (!Array.isArray(value) && !isEmptyValue(value)) {
    note('object-for-list', value)
    const isByIndex = isRecord(value) && Object.keys(value).every((key) => /^\d+$/.test(key))
    entries = isByIndex
      ? Object.entries(value).map(([key, entry]) =>
          isRecord(entry) ? { index: Number(key), ...entry } : entry,
        )
      : [value]
  }
  const filled: unknown[] = entries.filter((entry) => entry !== null)
  return filled.every(isRecord) ? filled : undefined
}

/** Selects the choice with index 0, or the first one without an index. */
export function selectChoice(body: RawJson): RawJson | undefined {
  const choices = toRecords(body.choices) ?? []
  const choice =
    choices.find(({ index }) => toText(index) === '0') ?? choices.find(({ index }) => toText(index) === '')
  if (choices.length > (choice ? 1 : 0)) note('choice-by-index', choices)
  return choice
}

/** Whether a content part is reasoning, as Mistral sends it. */
export function isThought({ type }: ContentPart): boolean {
  return type === 'thinking'
}

/**
 * Parses the token counts in `usage`. Undefined without counts. Some servers do not include cached tokens in the input,
 * or reasoning in the output. If the total or the names of the fields show this, the missing tokens are added.
 */
export function toTokens(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined
  const prompt = toCount(usage.prompt_tokens ?? usage.input_tokens)
  const completion = toCount(usage.completion_tokens ?? usage.output_tokens)
  if (prompt === undefined && completion === undefined) return undefined
  const input = prompt ?? 0
  const output = completion ?? 0
  const total = toCount(usage.total_tokens)
  const inputs = [usage, usage.prompt_tokens_details, usage.prompt_token_details, usage.input_tokens_details]
  const outputs = [usage, usage.completion_tokens_details, usage.output_tokens_details]
  const cached = findCount(inputs, readNames)
  const written = findCount(inputs, writeNames)
  const reasoning = findCount(outputs, reasoningNames)
  const cache = (cached ?? 0) + (written ?? 0)
  const thought = reasoning ?? 0
  const missing = total === undefined ? 0 : total - input - output
  const isMissing = missing !== thought && (missing === cache || missing === cache + thought)
  // These are Anthropic's names. Its `input_tokens` exclude tokens from the cache.
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

/**
 * The names under which servers report cached input tokens: OpenAI and most servers, Mistral, DeepSeek, Anthropic.
 * Moonshot writes the first one next to the input count.
 */
const readNames = ['cached_tokens', 'num_cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens']

/**
 * The names under which servers report tokens written to a cache: OpenAI and OpenRouter, Anthropic and Qwen, LiteLLM.
 */
const writeNames = ['cache_write_tokens', 'cache_creation_input_tokens', 'cache_creation_tokens']

/** The names under which servers report reasoning tokens: OpenAI and most servers, Anthropic. */
const reasoningNames = ['reasoning_tokens', 'thinking_tokens']

/** Returns the largest count under these names, because a server may write a count in several records. */
function findCount(records: readonly unknown[], names: readonly string[]): number | undefined {
  let most = -1
  for (const record of records)
    for (const name of names) most = Math.max(most, toCount(getOwn(record, name)) ?? -1)
  return most < 0 ? undefined : most
}

/**
 * Returns a count below 2 ** 53, which can be added exactly. Undefined for anything else: JSON may write larger sums as
 * `null`.
 */
function toCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 2 ** 53 ? value : undefined
}

/** Whether a finish reason announces tool calls. */
export function promisesCalls(reason: string): boolean {
  return /^(tool|function)_?(calls?|use)$/.test(reason)
}

/**
 * Returns the name of the tool that a received name refers to. A registered name is returned unchanged. Otherwise,
 * white space, template tokens, a `functions.` prefix and a trailing count are removed. Undefined if several words
 * remain, or if no tool has the name.
 */
export function toToolName(received: string, isTool: (name: string) => boolean): string | undefined {
  // A name may be surrounded by template tokens, as in `<|channel|>commentary to=functions.f <|constrain|>json`.
  const bare = received.replace(/<(?:\|(?:channel|constrain)\|>\s*\w*|[^<>]*>)(?:\s*to=)?/g, ' ').trim()
  const name = bare.replace(/^(functions?|tools?|default_api)[.:/]/, '')
  return [bare, name, name.replace(/:\d+$/, '')].find(isTool)
}

interface BoundedMessage {
  readonly message: AssistantMessage
  /** The paths of omitted fields, such as `tool_calls.extra_content`. At most 20. */
  readonly omitted: readonly string[]
}

/**
 * Removes unknown fields that have more than 100 levels, which `JSON.stringify` may not handle, or that exceed 8 MiB of
 * JSON in total. Fields of calls are kept first, then fields of content parts, then all others.
 */
export function boundUnknownFields(raw: AssistantMessage): BoundedMessage {
  const budget = new FieldBudget()
  const message = withFields(raw, (name, value, path) => budget.takes(name, value, path))
  return { message, omitted: budget.omitted }
}

/** Fields of a body that are read elsewhere, and `obfuscation`, which OpenAI adds to hide the lengths of pieces. */
const readFields = ['object', 'created', 'choices', 'usage', 'obfuscation']

/**
 * Copies the other fields of a body into `fields`. In a stream, each chunk may repeat a field; the last value is
 * complete.
 */
export function addFields(body: RawJson, fields: Record<string, unknown>): void {
  for (const name in body) if (isBeside(name, body[name])) setOwn(fields, name, body[name])
}

function isBeside(name: string, value: unknown): boolean {
  return !readFields.includes(name) && !isEmptyValue(value)
}

/** The response data that results contain: the names that servers use, each with its name in results. */
const facts = { id: 'id', model: 'model', system_fingerprint: 'systemFingerprint' }

/**
 * Returns the other fields of a body as response data and extra fields, up to 8 MiB. `left`: the fields that were
 * already omitted from the message.
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
    if (!fact) setOwn(extra, name, value)
    else if (toText(value) !== '') response[fact] = toText(value)
  }
  const omitted = [...left, ...budget.omitted]
  return {
    ...(!isEmptyValue(response) && { response }),
    ...(!isEmptyValue(extra) && { extra }),
    ...(!isEmptyValue(omitted) && { omitted }),
  }
}

/** Matches headers that callers may want: request ids and rate limits. Never cookies, logins or keys. */
const keptNames = /request-?id$|rate-?limit/i

/**
 * Returns the kept headers from an array of names and values, by lower-case name. Undefined if there are none, as with
 * most self-hosted servers.
 */
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

/** Maximum nesting of unknown fields, which `JSON.stringify` can always handle. */
export const maxLevels = 100
const maxCharacters = 8 * 2 ** 20
const maxOmitted = 20

/** The size that remains for the unknown fields of a message. */
class FieldBudget {
  readonly omitted: string[] = []
  #charactersLeft = maxCharacters

  /** Whether a field fits. A field that does not fit is recorded as omitted. */
  takes(name: string, value: unknown, path = ''): boolean {
    if (this.#fits(name, value)) return true
    const place = (path + name).slice(0, 100)
    if (this.omitted.length < maxOmitted && !this.omitted.includes(place)) this.omitted.push(place)
    return false
  }

  #fits(name: string, value: unknown): boolean {
    if (value === undefined) return true
    if (!isShallow(value, maxLevels)) return false
    // Files become artifacts, to which the limits of a run apply.
    if (fileFields.includes(name)) return true
    // Escapes in a string are not counted: most strings have none.
    const length = name.length + (isString(value) ? value : JSON.stringify(value)).length
    if (length > this.#charactersLeft) return false
    this.#charactersLeft -= length
    return true
  }
}
