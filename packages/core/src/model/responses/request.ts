// Writes the history and the settings of a request in the form of `/responses`.

import { toUtf8 } from '../../bytes.js'
import { CapstanError } from '../../errors.js'
import { isRecord } from '../../json.js'
import {
  type AssistantMessage,
  type ContentPart,
  callsOf,
  type Message,
  type ToolCall,
  textOf,
  type UserMessage,
} from '../../types/message.js'
import type { ModelRequest } from '../../types/model.js'
import type { RawJson } from '../reply-fields.js'
import {
  isOfAnother,
  type ServerForm,
  toJson,
  toList,
  toolWriter,
  toSettingJson,
  toShortId,
} from '../request-body.js'
import { itemsOf } from './items.js'

/**
 * Returns the request body as UTF-8 parts. The server stores nothing, so each request contains the full history with
 * the encrypted reasoning.
 * @throws CapstanError `invalid_request` for a setting that is not JSON, `unsupported` for a setting that this
 * interface does not have
 */
export function toResponsesBody(
  model: string,
  request: ModelRequest,
  form: ServerForm = {},
): readonly Uint8Array[] {
  const { tools, toolChoice = 'auto', settings = {}, stream, hostedTools = [] } = request
  const [instructions, messages] = splitInstructions(request.messages)
  const hasTools = tools.length + hostedTools.length > 0
  const fields = Object.entries(toFields(settings, form)).flatMap(([name, value]) =>
    value === undefined || (name === 'stream_options' && !stream)
      ? []
      : [`${toJson(name)}:${toSettingJson(name, value)}`],
  )
  if (hasTools && !(form.withoutToolChoice && toolChoice === 'auto'))
    fields.push(`"tool_choice":${toJson(toChoice(toolChoice))}`)
  if (stream) fields.push('"stream":true')
  return [
    toUtf8(`{"model":${toJson(model)}${instructions},"input":[`),
    toList(messages, form, toItems),
    toUtf8(hasTools ? `],${toToolsField(request, form)}` : ']'),
    toUtf8(`,${fields.join(',')}}`),
  ]
}

/** Moves the first system message to its own field, unless it is the only message: servers reject an empty input. */
function splitInstructions(messages: readonly Message[]): readonly [field: string, rest: readonly Message[]] {
  const [first] = messages
  return first?.role === 'system' && messages.length > 1
    ? [`,"instructions":${toJson(first.content)}`, messages.slice(1)]
    : ['', messages]
}

/** Returns the items of a message as JSON, with a comma before each. */
function toItems(message: Message, form: ServerForm): string {
  return itemsFrom(message, form)
    .map((item) => `,${toJson(item)}`)
    .join('')
}

function itemsFrom(message: Message, form: ServerForm): readonly RawJson[] {
  if (message.role === 'assistant') return replyItems(message, form)
  if (message.role === 'tool') {
    const callId = toCallId(message.tool_call_id, form)
    return [{ type: 'function_call_output', call_id: callId, output: message.content }]
  }
  return [{ role: message.role, content: message.role === 'user' ? toInput(message) : message.content }]
}

/** Returns the items of a reply as its server sent them. A different server gets the text and the calls. */
function replyItems(message: AssistantMessage, form: ServerForm): readonly RawJson[] {
  const calls = callsOf(message).map((call) => toCallItem(call, form))
  const isOwn = !isOfAnother(message, form) && !form.withoutOwnFields?.includes('response_items')
  const items = isOwn ? itemsOf(message, calls) : undefined
  if (items) return items
  const text = textOf(message.content) || message.refusal || ''
  // Servers may reject an empty message.
  return text === '' ? calls : [{ role: 'assistant', content: text }, ...calls]
}

function toCallItem({ id, function: { name, arguments: given } }: ToolCall, form: ServerForm): RawJson {
  return { type: 'function_call', call_id: toCallId(id, form), name, arguments: given }
}

function toCallId(id: string, { shortIds }: ServerForm): string {
  return shortIds ? toShortId(id) : id
}

function toInput({ content }: UserMessage): string | readonly RawJson[] {
  return typeof content === 'string' ? content : content.map(toInputPart)
}

/** Converts a part of a user message. Parts that the chat interface does not define are sent unchanged. */
function toInputPart(part: ContentPart): RawJson {
  const { type, text, image_url: image, file } = part
  if (type === 'text') return { type: 'input_text', text }
  if (type === 'image_url') {
    const { url, detail = 'auto' }: RawJson = isRecord(image) ? image : { url: image }
    return { type: 'input_image', image_url: url, detail }
  }
  return type === 'file' && isRecord(file) ? { type: 'input_file', ...file } : part
}

function toChoice(choice: NonNullable<ModelRequest['toolChoice']>): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.function.name }
}

function toToolsField({ tools, hostedTools = [] }: ModelRequest, form: ServerForm): string {
  const list = writeTools(tools, form)
  const hosted = hostedTools.map((tool) => toSettingJson('hostedTools', tool)).join(',')
  // Hosted tools come first, so that a tool that is added later comes last.
  return `"tools":[${hosted}${list && hosted ? ',' : ''}${list}]`
}

/** Sets `strict` in each tool. If `strict` is absent, OpenAI makes schemas strict and every property required. */
const writeTools = toolWriter(({ function: { strict = false, ...tool } }, withoutStrict) => {
  return { type: 'function', ...tool, ...(withoutStrict ? {} : { strict }) }
})

const encrypted = 'reasoning.encrypted_content'

/** Fields that make a server store the conversation. Not supported, because each request contains the full history. */
const stateful = ['previous_response_id', 'conversation', 'background']

/** Converts settings to fields of this interface: renames the chat settings and keeps the others. */
function toFields(settings: Readonly<Record<string, unknown>>, { withoutInclude }: ServerForm): RawJson {
  const {
    max_tokens: maxTokens,
    max_completion_tokens: maxCompletionTokens = maxTokens,
    reasoning_effort: effort,
    response_format: format,
    verbosity,
    include,
    stream_options: streamOptions,
    ...rest
  } = settings
  for (const name of ['stop', 'seed']) if (rest[name] !== undefined) throw noField(name)
  for (const name of stateful) if (rest[name]) throw keepsState(name)
  const { include_usage: _, ...kept } = Object(streamOptions) as RawJson
  const own = withoutInclude ? [] : [encrypted]
  const included = Array.isArray(include) ? [...new Set([...own, ...include])] : own
  return {
    store: false,
    ...(included.length > 0 ? { include: included } : {}),
    max_output_tokens: maxCompletionTokens,
    ...(Object.keys(kept).length > 0 ? { stream_options: kept } : {}),
    ...rest,
    reasoning: merged(rest.reasoning, { effort }),
    text: merged(rest.text, { verbosity, format: toFormat(format) }),
  }
}

/**
 * Adds the fields that have a value to a record. The record's own fields take precedence. If none of the fields has a
 * value, returns the record unchanged.
 */
function merged(given: unknown, added: RawJson): unknown {
  const fields = Object.entries(added).filter(([, value]) => value !== undefined)
  return fields.length === 0 ? given : { ...Object.fromEntries(fields), ...(given as object | undefined) }
}

/** Converts a response format. In this interface, the fields of the schema are not nested in `json_schema`. */
function toFormat(format: unknown): unknown {
  if (!isRecord(format) || !isRecord(format.json_schema)) return format
  const { json_schema: schema, ...rest } = format
  return { ...rest, ...schema }
}

function noField(name: string): CapstanError {
  const message = `settings.${name} is not in the Responses interface. Remove it, or use chatModel(name).`
  return new CapstanError('unsupported', message, { evidence: { setting: name } })
}

function keepsState(name: string): CapstanError {
  const message = `settings.${name} is not supported: each request contains the full history. Use sessions instead.`
  return new CapstanError('unsupported', message, { evidence: { setting: name } })
}
