import { ServiceError } from '../http/service-error.js'
import { isGiven, isRecord } from '../json.js'
import type { ToolDefinition } from '../plan/planner-tool.js'
import {
  checkDepth,
  invalidField,
  invalidFormat,
  parseCount,
  parseFlag,
  parseSchema,
  type ReplyRequest,
  type ResponseFormat,
} from './chat-request.js'
import { type Choice, invalidChoice, parseChoice, parseTools } from './chat-tools.js'
import { type FindItem, parseInput } from './responses-input.js'
import { checkReferences } from './stored-references.js'

type Fields = Readonly<Record<string, unknown>>

/** A request to `/v1/responses`. Its fields have been checked. */
export interface ResponsesRequest extends ReplyRequest {
  /** The settings that are repeated in the response. */
  readonly settings: Fields
  /** Whether later requests may refer to items in the response. */
  readonly remember: boolean
}

/** Checks the fields of a request for a response. Throws a 400 that names the invalid field. Unknown fields are ignored. */
export function parseResponsesRequest(fields: Fields, find: FindItem): ResponsesRequest {
  checkDepth(fields)
  checkReferences(fields)
  if (parseFlag(fields.background, 'background', false))
    throw invalidField('background', 'must be false: no responses are stored')
  const instructions = parseText(fields.instructions, 'instructions')
  const system = instructions === undefined ? [] : [{ role: 'system' as const, text: instructions }]
  const maxTokens = parseCount(fields.max_output_tokens, 'max_output_tokens')
  const parallel = parseFlag(fields.parallel_tool_calls, 'parallel_tool_calls', true)
  return {
    messages: [...system, ...parseInput(fields.input, find)],
    ...parseToolUse(fields),
    parallel,
    form: parseTextFormat(fields.text),
    limits: { maxTokens: maxTokens ?? Infinity, stop: [] },
    stream: parseFlag(fields.stream, 'stream', false),
    remember: parseFlag(fields.store, 'store', true),
    settings: toSettings(fields),
  }
}

function parseText(value: unknown, name: string): string | undefined {
  if (!isGiven(value)) return undefined
  if (typeof value === 'string') return value
  throw new ServiceError(400, 'invalid_type', `"${name}" must be a string.`, name)
}

function parseToolUse(fields: Fields): Choice {
  const { tools, tool_choice: choice } = fields
  const all = Array.isArray(tools) ? tools.map(toChatTool) : tools
  return parseToolChoice(choice, parseTools(all, { field: 'tools' }))
}

function toChatTool(tool: unknown): unknown {
  return isRecord(tool) ? { type: tool.type, function: tool } : tool
}

function parseToolChoice(choice: unknown, tools: readonly ToolDefinition[]): Choice {
  if (!isRecord(choice)) return parseChoice(choice, tools)
  if (choice.type === 'function' && typeof choice.name === 'string')
    return parseChoice(toChatTool(choice), tools)
  if (choice.type === 'allowed_tools') {
    const { mode, tools: list } = choice
    const allowed = { mode, tools: Array.isArray(list) ? list.map(toChatTool) : list }
    return parseChoice({ type: 'allowed_tools', allowed_tools: allowed }, tools)
  }
  throw invalidChoice(
    'tool_choice',
    'must be "auto", "none", "required", {"type": "function", "name": "..."} or {"type": "allowed_tools", ...}',
  )
}

function parseTextFormat(text: unknown): ResponseFormat {
  if (!isGiven(text)) return { type: 'text' }
  if (!isRecord(text)) throw invalidFormat('text', 'must be an object')
  const { format } = text
  if (!isGiven(format)) return { type: 'text' }
  const type = isRecord(format) ? format.type : undefined
  if (type === 'text' || type === 'json_object') return { type }
  if (type === 'json_schema') return parseSchema(format, 'text.format')
  throw invalidFormat('text.format.type', 'must be "text", "json_object" or "json_schema"')
}

// In the same order and with the same defaults as in the reference service.
function toSettings(fields: Fields): Fields {
  const given = (name: string, fallback: unknown) => fields[name] ?? fallback
  return {
    background: false,
    conversation: null,
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: given('max_tool_calls', null),
    metadata: given('metadata', {}),
    parallel_tool_calls: given('parallel_tool_calls', true),
    previous_response_id: null,
    prompt: null,
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: { effort: null, summary: null, ...Object(fields.reasoning) },
    safety_identifier: given('safety_identifier', null),
    service_tier: 'default',
    // Nothing is stored, even if the request asks for it.
    store: false,
    temperature: given('temperature', 1),
    text: { verbosity: 'medium', ...Object(fields.text), format: formatOf(fields.text) },
    tool_choice: given('tool_choice', 'auto'),
    tools: given('tools', []),
    top_logprobs: given('top_logprobs', 0),
    top_p: given('top_p', 1),
    truncation: given('truncation', 'disabled'),
    user: given('user', null),
  }
}

function formatOf(text: unknown): unknown {
  return (isRecord(text) ? text.format : undefined) ?? { type: 'text' }
}
