import type { ChatMessage } from '../plan/chat-message.js'
import { isDeeperThan, mostLevels } from '../plan/json-depth.js'
import { isRecord } from '../record.js'
import { invalidField, parseCount, parseFlag } from './chat-fields.js'
import type { AnswerForm } from './chat-form.js'
import { parseForm } from './chat-form.js'
import type { ChatLimits } from './chat-limits.js'
import { parseLimits } from './chat-limits.js'
import { parseMessages } from './chat-messages.js'
import type { ToolUse } from './chat-tool-use.js'
import { parseToolUse } from './chat-tool-use.js'

/** A chat request, checked. */
export interface ChatRequest extends ToolUse {
  readonly messages: readonly ChatMessage[]
  readonly parallel: boolean
  readonly form: AnswerForm
  readonly limits: ChatLimits
  readonly stream: boolean
  /** Whether a stream ends with a chunk of token counts. */
  readonly withUsage: boolean
}

/** Checks the fields of a chat request; a 400 names the one at fault, fields nobody knows are passed over. */
export function parseChatRequest(fields: Readonly<Record<string, unknown>>): ChatRequest {
  const deep = Object.keys(fields).find((name) => isDeeperThan(mostLevels, fields[name]))
  if (deep !== undefined) throw invalidField(deep, `holds more than ${mostLevels} levels of values`)
  if ((parseCount(fields.n, 'n') ?? 1) > 1) {
    throw invalidField('n', 'must be 1: the planner has one answer to a request; ask again for another')
  }
  checkModalities(fields.modalities)
  return {
    messages: parseMessages(fields.messages),
    ...parseToolUse(fields),
    parallel: parseFlag(fields.parallel_tool_calls, 'parallel_tool_calls', true),
    form: parseForm(fields.response_format),
    limits: parseLimits(fields),
    stream: parseFlag(fields.stream, 'stream', false),
    withUsage: wantsUsage(fields.stream_options),
  }
}

function checkModalities(modalities: unknown): void {
  if (modalities === undefined || modalities === null) return
  if (Array.isArray(modalities) && modalities.every((one) => one === 'text')) return
  throw invalidField(
    'modalities',
    'must be ["text"]: this endpoint answers in words; /v1/audio/speech speaks',
  )
}

function wantsUsage(options: unknown): boolean {
  if (options === undefined || options === null) return false
  if (!isRecord(options)) throw invalidField('stream_options', 'must be an object')
  return parseFlag(options.include_usage, 'stream_options.include_usage', false)
}
