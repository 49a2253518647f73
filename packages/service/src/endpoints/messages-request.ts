import { messagesChoice, messagesTool } from '@capstan/protocols/input'
import { isRecord } from '../json.js'
import type { ToolDefinition } from '../plan/planner-tool.js'
import {
  checkDepth,
  invalidField,
  invalidFormat,
  parseCount,
  parseFlag,
  parseSchema,
  parseStop,
  type ReplyRequest,
  type ResponseFormat,
} from './chat-request.js'
import { type Choice, invalidChoice, parseChoice, parseTools } from './chat-tools.js'
import { parseConversation, parseSystem } from './messages-content.js'
import { checkReferences } from './stored-references.js'

const mostStops = 100

type Fields = Readonly<Record<string, unknown>>

/** Checks the fields of a Messages request. Throws a 400 that names the invalid field. Unknown fields are ignored. */
export function parseMessagesRequest(fields: Fields): ReplyRequest {
  const prompt = parsePrompt(fields)
  const maxTokens = parseCount(fields.max_tokens, 'max_tokens')
  if (maxTokens === undefined)
    throw invalidField('max_tokens', 'is missing: it must be a positive whole number')
  return {
    ...prompt,
    form: parseOutputFormat(fields.output_config),
    limits: { maxTokens, stop: parseStop(fields.stop_sequences, 'stop_sequences', mostStops) },
    stream: parseFlag(fields.stream, 'stream', false),
  }
}

/** Checks the fields that are part of the prompt. Requests to count tokens have these fields too. */
export function parsePrompt(
  fields: Fields,
): Pick<ReplyRequest, 'messages' | 'tools' | 'choice' | 'parallel'> {
  checkReferences(fields)
  checkDepth(fields)
  const { tool_choice: choice } = fields
  const single = isRecord(choice) ? choice.disable_parallel_tool_use : undefined
  const all = Array.isArray(fields.tools) ? fields.tools.map(messagesTool) : fields.tools
  const tools = parseTools(all, { field: 'tools', schema: 'input_schema' })
  return {
    messages: [...parseSystem(fields.system), ...parseConversation(fields.messages)],
    ...parseToolChoice(choice, tools),
    parallel: !parseFlag(single, 'tool_choice.disable_parallel_tool_use', false),
  }
}

function parseToolChoice(given: unknown, tools: readonly ToolDefinition[]): Choice {
  const choice = messagesChoice(given)
  if (choice !== false) return parseChoice(choice, tools)
  const forms = '{"type": "auto"}, {"type": "any"}, {"type": "none"} or {"type": "tool", "name": "..."}'
  throw invalidChoice('tool_choice', `must be ${forms}`)
}

function parseOutputFormat(config: unknown): ResponseFormat {
  if (config === undefined || config === null) return { type: 'text' }
  if (!isRecord(config)) throw invalidFormat('output_config', 'must be an object')
  const { format } = config
  if (format === undefined || format === null) return { type: 'text' }
  if (!isRecord(format) || format.type !== 'json_schema')
    throw invalidFormat('output_config.format.type', 'must be "json_schema"')
  return parseSchema({ ...format, name: 'output' }, 'output_config.format')
}
