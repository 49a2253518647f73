import type { Endpoint } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { checkModel, engineHeader } from '../models.js'
import { plan } from '../plan/plan.js'
import { parseMessages } from './chat-messages.js'
import { toChunks, toCompletion } from './chat-reply.js'
import { parseChoice, parseTools } from './chat-tools.js'

/** Answers a conversation with tool calls or text, whole or as a stream of chunks. Rules plan it, no language model. */
export const chat: Endpoint = async ({ fields }) => {
  const headers = engineHeader(checkModel(fields.model, 'chat'))
  const messages = parseMessages(fields.messages)
  const tools = parseTools(fields.tools)
  const choice = parseChoice(fields.tool_choice, tools)
  const stream = parseFlag(fields.stream, 'stream', false)
  const parallel = parseFlag(fields.parallel_tool_calls, 'parallel_tool_calls', true)
  const answer = plan({ messages, tools, choice, parallel })
  const reply = { answer, conversation: JSON.stringify(fields.messages), model: String(fields.model) }
  if (!stream) return { headers, json: toCompletion(reply) }
  return { headers, events: toChunks(reply, wantsUsage(fields.stream_options)) }
}

function parseFlag(value: unknown, name: string, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback
  if (typeof value === 'boolean') return value
  throw new ServiceError(400, 'invalid_type', `"${name}" must be true or false.`, name)
}

function wantsUsage(options: unknown): boolean {
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  )
}
