import { isRecord } from '../json.js'
import type { AssistantMessage, ToolCall } from '../types/message.js'
import type { ModelReply } from '../types/model.js'
import { callFields, functionFields, maxItems, type RawJson, replyFields, toTokens } from './reply-fields.js'

/** Reads the message of a completion in the exact documented form. Undefined for any other form, which the lenient reader takes. */
export function readCompletion(completion: RawJson): ModelReply | undefined {
  const { object, usage } = completion
  if (object !== 'chat.completion' || 'error' in completion || 'base_resp' in completion) return undefined
  if (hasSources(completion)) return undefined
  const { message: raw, finish_reason: reason = null } = onlyChoice(completion, choiceFields) ?? {}
  const message = isRecord(raw) ? toMessage(raw) : undefined
  // A finish reason `tool_calls` without calls is not a complete reply.
  const isWhole =
    reason === null ||
    wholeReasons.includes(reason as string) ||
    (reason === 'tool_calls' && message?.tool_calls)
  if (!message || !isWhole) return undefined
  const tokens = toTokens(usage)
  return {
    message,
    ...(typeof reason === 'string' ? { finishReason: reason } : {}),
    ...(tokens ? { tokens } : {}),
  }
}

/** Calls of a reply that was cut are kept, and do not run. */
const wholeReasons = ['stop', 'length', 'content_filter']
const choiceFields = new Set(['index', 'message', 'finish_reason'])
export const messageFields = new Set(replyFields)
/** OpenAI puts an empty list into every message, and may get it back. */
const fieldsOfOpenAI = new Set([...replyFields, 'annotations'])
export const entryFields = new Set([...callFields, 'index'])
export const nameFields = new Set(functionFields)

/** Whether a record has non-null fields other than these. */
export function hasOtherFields(record: RawJson, fields: ReadonlySet<string>): boolean {
  for (const field in record) if (!fields.has(field) && record[field] !== null) return true
  return false
}

function toMessage(raw: RawJson): AssistantMessage | undefined {
  const { role, content, tool_calls: calls } = raw
  if (role !== 'assistant' || (content !== null && typeof content !== 'string')) return undefined
  const { annotations } = raw
  const hasEmptyAnnotations = Array.isArray(annotations) && annotations.length === 0
  if (hasOtherFields(raw, hasEmptyAnnotations ? fieldsOfOpenAI : messageFields)) return undefined
  const added = hasEmptyAnnotations ? { annotations } : {}
  if (calls === undefined || calls === null) return content === null ? undefined : { ...added, role, content }
  const read = Array.isArray(calls) && calls.length <= maxItems ? calls.map(toCall) : []
  return read.length > 0 && read.every((call) => call !== undefined)
    ? { ...added, role, content, tool_calls: read }
    : undefined
}

function toCall(raw: unknown): ToolCall | undefined {
  if (!isRecord(raw) || hasOtherFields(raw, entryFields) || !isRecord(raw.function)) return undefined
  const { id, type, function: rawFunction } = raw
  const { name, arguments: text } = rawFunction
  const isPlain =
    typeof id === 'string' && id !== '' && type === 'function' && !hasOtherFields(rawFunction, nameFields)
  if (!isPlain || typeof name !== 'string' || typeof text !== 'string') return undefined
  return name.trim() === '' || text.trim() === ''
    ? undefined
    : { id, type, function: { name, arguments: text } }
}

/** Returns the choice of a body with one choice, if it has no other fields than these. */
export function onlyChoice({ choices }: RawJson, fields: ReadonlySet<string>): RawJson | undefined {
  if (!Array.isArray(choices) || choices.length !== 1) return undefined
  const [choice] = choices as unknown[]
  const isPlain = isRecord(choice) && choice.index === 0 && !hasOtherFields(choice, fields)
  return isPlain ? choice : undefined
}

/** Whether a body has the sources of a search. */
export function hasSources(body: RawJson): boolean {
  return 'citations' in body || 'search_results' in body
}
