import type { AssistantMessage, ToolCall } from '../words/message.js'
import type { ModelReply } from '../words/model.js'
import { isRecord } from '../words/record.js'
import type { Loose } from './loose.js'
import { toTokens } from './to-tokens.js'

/**
 * The reply in a completion that has the form of the interface and leaves nothing to guess; undefined for any other,
 * which is read with care.
 */
export function readWhole(completion: Loose): ModelReply | undefined {
  const { object, choices, usage } = completion
  if (object !== 'chat.completion' || 'error' in completion || 'base_resp' in completion) return undefined
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  const [choice] = choices as unknown[]
  if (!isRecord(choice) || choice.index !== 0 || !isRecord(choice.message)) return undefined
  if (saysMore(choice, choiceFields)) return undefined
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
function saysMore(record: Loose, fields: readonly string[]): boolean {
  for (const field in record) if (!fields.includes(field) && record[field] !== null) return true
  return false
}

function toMessage(given: Loose): AssistantMessage | undefined {
  const { role, content, tool_calls: calls } = given
  if (role !== 'assistant' || (content !== null && typeof content !== 'string')) return undefined
  const { annotations } = given
  const hasNone = Array.isArray(annotations) && annotations.length === 0
  if (saysMore(given, hasNone ? fieldsOfOpenAI : messageFields)) return undefined
  const message = { ...(hasNone ? { annotations } : {}), role, content: content ?? '' } as const
  if (calls === undefined || calls === null) return content === null ? undefined : message
  const read = Array.isArray(calls) ? calls.map(toCall) : []
  return read.length > 0 && read.every(isCall) ? { ...message, tool_calls: read } : undefined
}

function toCall(given: unknown): ToolCall | undefined {
  if (!isRecord(given) || saysMore(given, callFields) || !isRecord(given.function)) return undefined
  const { id, type, function: called } = given
  const { name, arguments: text } = called
  const isPlain =
    typeof id === 'string' && id !== '' && type === 'function' && !saysMore(called, functionFields)
  if (!isPlain || typeof name !== 'string' || typeof text !== 'string') return undefined
  return name.trim() === '' || text.trim() === ''
    ? undefined
    : { id, type, function: { name, arguments: text } }
}

function isCall(call: ToolCall | undefined): call is ToolCall {
  return call !== undefined
}
