import { isRecord } from '../json.js'
import type { AssistantMessage, ToolCall } from '../types/message.js'
import type { ModelReply } from '../types/model.js'
import { type RawJson, toTokens } from './lenient-json.js'

/** What a chunk of the common form brings. */
export interface ReplyChunk {
  readonly text: string
  readonly call?: PlainCall
  /** Why the answer ended; `''` while it goes on. */
  readonly reason: string
}

/** A call, or a piece of one. */
export interface PlainCall {
  readonly index: number
  /** `''` in all but its first piece. */
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/**
 * What a chunk says when it has the form of the interface and leaves nothing to guess; undefined for any other, which is
 * read with care. A stream is thousands of these.
 */
export function readChunk(chunk: RawJson): ReplyChunk | undefined {
  const { choices, object = 'chat.completion.chunk', usage = null } = chunk
  if (object !== 'chat.completion.chunk' || usage !== null || isOtherEvent(chunk)) return undefined
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  const [choice] = choices as unknown[]
  if (!isRecord(choice) || choice.index !== 0 || !isRecord(choice.delta)) return undefined
  const { finish_reason: reason = null } = choice
  for (const field in choice)
    if (field !== 'index' && field !== 'delta' && field !== 'finish_reason' && choice[field] !== null)
      return undefined
  if (reason === null) return readDelta(choice.delta, '')
  return typeof reason === 'string' && plainReasons.includes(reason)
    ? readDelta(choice.delta, reason)
    : undefined
}

const plainReasons = ['stop', 'tool_calls', 'length']

/** Failures, signs of life and the like, that servers put beside the choices. */
function isOtherEvent(chunk: RawJson): boolean {
  return 'error' in chunk || 'base_resp' in chunk || 'type' in chunk || 'event' in chunk
}

function readDelta(delta: RawJson, reason: string): ReplyChunk | undefined {
  for (const field in delta)
    if (field !== 'content' && field !== 'tool_calls' && field !== 'role' && delta[field] !== null)
      return undefined
  const { content = null, tool_calls: calls = null } = delta
  if (content !== null && typeof content !== 'string') return undefined
  const text = content ?? ''
  if (calls === null) return { text, reason }
  const call = readPlainCall(calls)
  return call && { text, call, reason }
}

function readPlainCall(calls: unknown): PlainCall | undefined {
  if (!Array.isArray(calls) || calls.length !== 1) return undefined
  const [call] = calls as unknown[]
  if (!isRecord(call) || !isRecord(call.function) || typeof call.index !== 'number') return undefined
  for (const field in call)
    if (field !== 'index' && field !== 'function' && field !== 'id' && field !== 'type') return undefined
  for (const field in call.function) if (field !== 'arguments' && field !== 'name') return undefined
  const { name = '', arguments: text } = call.function
  const { index, id = '' } = call
  const isText = typeof id === 'string' && typeof name === 'string' && typeof text === 'string'
  // A call begins with an id and a name, and has neither after that.
  const isPlain = isText && (id === '' ? name === '' : name.trim() !== '')
  return isPlain ? { index, id, name, arguments: text } : undefined
}

/**
 * The reply in a completion that has the form of the interface and leaves nothing to guess; undefined for any other,
 * which is read with care.
 */
export function readWhole(completion: RawJson): ModelReply | undefined {
  const { object, choices, usage } = completion
  if (object !== 'chat.completion' || 'error' in completion || 'base_resp' in completion) return undefined
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  const [choice] = choices as unknown[]
  if (!isRecord(choice) || choice.index !== 0 || !isRecord(choice.message)) return undefined
  if (hasOtherFields(choice, choiceFields)) return undefined
  const message = toMessage(choice.message)
  const { finish_reason: reason = null } = choice
  // Calls that were promised and did not come are no answer.
  const isWhole = reason === null || reason === 'stop' || (reason === 'tool_calls' && message?.tool_calls)
  if (!message || !isWhole) return undefined
  const tokens = toTokens(usage)
  return { message, ...(reason === null ? {} : { finishReason: reason }), ...(tokens ? { tokens } : {}) }
}

const choiceFields = ['index', 'message', 'finish_reason']
const messageFields = ['role', 'content', 'tool_calls']
/** One server puts a list with nothing in it into every message, and may see it again. */
const fieldsOfOpenAI = [...messageFields, 'annotations']
const callFields = ['id', 'type', 'function', 'index']
const functionFields = ['name', 'arguments']

/** Whether a record has fields that say something, besides these. */
function hasOtherFields(record: RawJson, fields: readonly string[]): boolean {
  for (const field in record) if (!fields.includes(field) && record[field] !== null) return true
  return false
}

function toMessage(given: RawJson): AssistantMessage | undefined {
  const { role, content, tool_calls: calls } = given
  if (role !== 'assistant' || (content !== null && typeof content !== 'string')) return undefined
  const { annotations } = given
  const hasNone = Array.isArray(annotations) && annotations.length === 0
  if (hasOtherFields(given, hasNone ? fieldsOfOpenAI : messageFields)) return undefined
  const message = { ...(hasNone ? { annotations } : {}), role, content: content ?? '' } as const
  if (calls === undefined || calls === null) return content === null ? undefined : message
  const read = Array.isArray(calls) ? calls.map(toCall) : []
  return read.length > 0 && read.every(isCall) ? { ...message, tool_calls: read } : undefined
}

function toCall(given: unknown): ToolCall | undefined {
  if (!isRecord(given) || hasOtherFields(given, callFields) || !isRecord(given.function)) return undefined
  const { id, type, function: called } = given
  const { name, arguments: text } = called
  const isPlain =
    typeof id === 'string' && id !== '' && type === 'function' && !hasOtherFields(called, functionFields)
  if (!isPlain || typeof name !== 'string' || typeof text !== 'string') return undefined
  return name.trim() === '' || text.trim() === ''
    ? undefined
    : { id, type, function: { name, arguments: text } }
}

function isCall(call: ToolCall | undefined): call is ToolCall {
  return call !== undefined
}
