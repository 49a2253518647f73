import { ServiceError } from '../http/service-error.js'
import { isDeeperThan, isRecord, mostLevels } from '../json.js'
import type { JsonSchema } from '../json-schema.js'
import type { ChatMessage } from '../plan/conversation.js'
import { parseMessages } from './chat-messages.js'
import { type Choice, parseToolUse, type ToolUse } from './chat-tools.js'
import { countTokens, type Draft, type DraftCall, firstTokens, tokensOf } from './draft.js'
import { checkReferences } from './stored-references.js'
import { findUnsupportedKeyword } from './unsupported-keyword.js'

/** A request for a reply, in any protocol. Its fields have been checked. */
export interface ReplyRequest extends Choice {
  readonly messages: readonly ChatMessage[]
  readonly parallel: boolean
  readonly form: ResponseFormat
  readonly limits: ReplyLimits
  readonly stream: boolean
}

/** A chat request. Its fields have been checked. */
export interface ChatRequest extends ReplyRequest, ToolUse {
  /** Whether the stream ends with a chunk of token counts. */
  readonly withUsage: boolean
}

/** Checks the fields of a chat request. Throws a 400 that names the invalid field. Unknown fields are ignored. */
export function parseChatRequest(fields: Readonly<Record<string, unknown>>): ChatRequest {
  checkReferences(fields)
  checkDepth(fields)
  if ((parseCount(fields.n, 'n') ?? 1) > 1) {
    throw invalidField('n', 'must be 1: the planner gives only one reply per request')
  }
  checkModalities(fields.modalities)
  const use = parseToolUse(fields)
  return {
    messages: parseMessages(fields.messages),
    ...use,
    parallel: parseFlag(fields.parallel_tool_calls, 'parallel_tool_calls', true) && !use.isOldForm,
    form: parseForm(fields.response_format),
    limits: parseLimits(fields),
    stream: parseFlag(fields.stream, 'stream', false),
    withUsage: wantsUsage(fields.stream_options),
  }
}

/** Throws a 400 if a field is nested too deeply for recursive functions. */
export function checkDepth(fields: Readonly<Record<string, unknown>>): void {
  const deep = Object.keys(fields).find((name) => isDeeperThan(mostLevels, fields[name]))
  if (deep !== undefined) throw invalidField(deep, `is nested deeper than ${mostLevels} levels`)
}

function checkModalities(modalities: unknown): void {
  if (modalities === undefined || modalities === null) return
  if (Array.isArray(modalities) && modalities.every((one) => one === 'text')) return
  throw invalidField('modalities', 'must be ["text"]: for audio use /v1/audio/speech')
}

function wantsUsage(options: unknown): boolean {
  if (options === undefined || options === null) return false
  if (!isRecord(options)) throw invalidField('stream_options', 'must be an object')
  return parseFlag(options.include_usage, 'stream_options.include_usage', false)
}

/** Limits at which a reply is truncated. */
export interface ReplyLimits {
  readonly maxTokens: number
  /** Strings that end the reply. The reply does not contain them. */
  readonly stop: readonly string[]
}

/** Checks `max_tokens`, `max_completion_tokens` and `stop`. Throws a 400 that names the invalid field. */
export function parseLimits(fields: Readonly<Record<string, unknown>>): ReplyLimits {
  const most = ['max_tokens', 'max_completion_tokens'].map(
    (name) => parseCount(fields[name], name) ?? Infinity,
  )
  return { maxTokens: Math.min(...most), stop: parseStop(fields.stop, 'stop') }
}

/** Truncates a reply: its text at a stop string, and its text and calls at the token limit. */
export function cutDraft(draft: Draft, { maxTokens, stop }: ReplyLimits): Draft {
  const whole = draft.text === null ? draft : { ...draft, ...beforeStop(draft.text, stop) }
  const { text } = whole
  if (tokensOf(whole) <= maxTokens) return whole
  const kept = { text: cut(text, maxTokens), refusal: cut(draft.refusal, maxTokens) }
  const left = maxTokens - countTokens(kept.text ?? '') - countTokens(kept.refusal ?? '')
  return { ...kept, calls: cutCalls(draft.calls, left), finish: 'length' }
}

/** Checks the strings that end a reply: one string, or an array of up to `most`. Throws a 400 that names `field`. */
export function parseStop(stop: unknown, field: string, most = 4): string[] {
  if (stop === undefined || stop === null) return []
  const all: unknown[] = Array.isArray(stop) ? stop : [stop]
  const texts = all.filter((one) => typeof one === 'string')
  if (texts.length < all.length || texts.includes('') || texts.length > most) {
    throw invalidField(
      field,
      `must be a non-empty string, or an array of up to ${most === 4 ? 'four' : most} such strings`,
    )
  }
  return texts
}

function beforeStop(text: string, stop: readonly string[]): Pick<Draft, 'text' | 'stoppedBy'> {
  const found = stop.filter((one) => text.includes(one))
  const [first] = found.sort((one, other) => text.indexOf(one) - text.indexOf(other))
  return first === undefined ? { text } : { text: text.slice(0, text.indexOf(first)), stoppedBy: first }
}

function cut(text: string | null, tokens: number): string | null {
  return text === null ? null : firstTokens(text, tokens)
}

// Like other servers, truncates the call at the token limit and drops the calls after it.
function cutCalls(calls: readonly DraftCall[], tokens: number): DraftCall[] {
  const [call, ...rest] = calls
  if (!call || countTokens(call.name) > tokens) return []
  const size = countTokens(call.name + call.arguments)
  if (size <= tokens) return [call, ...cutCalls(rest, tokens - size)]
  const kept = firstTokens(call.name + call.arguments, tokens)
  return [{ name: call.name, arguments: kept.slice(call.name.length) }]
}

/** The format of a text reply: plain text, any JSON object, or JSON that matches a schema. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema'
      readonly name: string
      readonly description: string
      readonly schema: JsonSchema
    }

/**
 * Checks `response_format`. Throws a 400 `invalid_response_format` that describes the problem, such as a schema keyword
 * that cannot be enforced.
 */
export function parseForm(format: unknown): ResponseFormat {
  if (format === undefined || format === null) return { type: 'text' }
  const type = isRecord(format) ? format.type : undefined
  if (type === 'text' || type === 'json_object') return { type }
  if (!isRecord(format) || type !== 'json_schema') {
    throw invalidFormat('response_format.type', 'must be "text", "json_object" or "json_schema"')
  }
  return parseSchema(format.json_schema, 'response_format.json_schema')
}

/** Checks the schema in a response format. `at` is its path in the request. */
export function parseSchema(given: unknown, at: string): ResponseFormat {
  if (!isRecord(given)) throw invalidFormat(at, 'must be an object with a name and a schema')
  const { name, description = '', schema, strict } = given
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
    throw invalidFormat(`${at}.name`, 'must be 1 to 64 letters, digits, underscores or hyphens')
  }
  if (description !== null && typeof description !== 'string')
    throw invalidFormat(`${at}.description`, 'must be a string')
  if (strict !== undefined && strict !== null && typeof strict !== 'boolean')
    throw invalidFormat(`${at}.strict`, 'must be true or false')
  if (!isRecord(schema)) throw invalidFormat(`${at}.schema`, 'must be a JSON Schema')
  const unchecked = findUnsupportedKeyword(schema)
  if (unchecked !== undefined) {
    throw invalidFormat(`${at}.schema`, `uses "${unchecked}", which this service does not support`)
  }
  return { type: 'json_schema', name, description: description ?? '', schema }
}

/** Creates the 400 error for an invalid response format. */
export function invalidFormat(field: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_response_format', `${field} ${what}.`, field)
}

/** Parses a boolean field. Returns `fallback` if the field is absent. Throws a 400 for a value of any other type. */
export function parseFlag(value: unknown, name: string, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback
  if (typeof value === 'boolean') return value
  throw new ServiceError(400, 'invalid_type', `"${name}" must be true or false.`, name)
}

/** Parses a positive integer. Returns undefined if the field is absent. Throws a 400 for any other value. */
export function parseCount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw invalidField(name, 'must be a positive whole number')
}

/** Creates the 400 error for an invalid field value. */
export function invalidField(name: string, what: string): ServiceError {
  return new ServiceError(400, 'invalid_value', `"${name}" ${what}.`, name)
}
