// Converts requests to the form of the AI SDK's language model specification, versions 2 to 4.

import { CapstanError } from '../errors.js'
import { getOwn, isRecord, tryJson } from '../json.js'
import type { AssistantMessage, ContentPart, Message, ToolCall, UserMessage } from '../types/message.js'
import { textOf } from '../types/message.js'
import type { HostedDefinition, ModelRequest } from '../types/model.js'
import { toText } from './reply-fields.js'

/** A version of the AI SDK's language model specification, as models declare it. */
export type SpecificationVersion = 'v2' | 'v3' | 'v4'

/**
 * One part of a kept reply. The part's text is stored as a length within the message's text, so that nothing is stored
 * twice.
 */
export type KeptPart = {
  /** The provider's metadata, which is sent back as options. */
  readonly providerOptions?: unknown
} & (
  | { readonly type: 'text' | 'reasoning'; readonly length: number }
  | { readonly type: 'call'; readonly index: number }
  | { readonly type: 'hosted'; readonly part: Readonly<Record<string, unknown>> }
)

/** The provider and model that a request is sent to. */
export interface PromptTarget {
  readonly version: SpecificationVersion
  /** The provider and the model, as in the `server` field of messages. */
  readonly server: string
}

type Part = Readonly<Record<string, unknown>>

/**
 * Returns the call options of a request, without its signal.
 * @throws CapstanError `unsupported` for a setting or message part that the specification does not have
 */
export function toCallOptions(request: ModelRequest, target: PromptTarget): Record<string, unknown> {
  const { messages, tools, toolChoice = 'auto', hostedTools = [], headers } = request
  const definitions = [
    // Hosted tools come first, so that a tool that is added later comes last.
    ...hostedTools.map((one) => toProviderTool(one, target.version)),
    ...tools.map(({ function: { name, description, parameters, strict } }) => ({
      type: 'function',
      name,
      description,
      inputSchema: parameters,
      ...(strict !== undefined && target.version !== 'v2' ? { strict } : {}),
    })),
  ]
  return {
    ...toSettings(request.settings ?? {}, target.version),
    prompt: toPrompt(messages, target),
    ...(definitions.length > 0 ? { tools: definitions, toolChoice: toChoice(toolChoice) } : {}),
    ...(headers ? { headers } : {}),
  }
}

function toChoice(choice: NonNullable<ModelRequest['toolChoice']>): Part {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.function.name }
}

/** Converts a hosted tool. The tool's type must be the provider's id for it, such as `openai.web_search`. */
function toProviderTool({ type, name, args, ...further }: HostedDefinition, version: string): Part {
  if (!type.includes('.')) {
    const message = `hosted({ type: "${type}" }) is not an AI SDK tool. Use a provider tool's id, such as "openai.web_search".`
    throw new CapstanError('unsupported', message, { evidence: { type } })
  }
  return {
    type: version === 'v2' ? 'provider-defined' : 'provider',
    id: type,
    name: name ?? type.slice(type.indexOf('.') + 1),
    args: args ?? further,
  }
}

/** The names of settings in the specification, by their names in requests. */
const settingNames: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  max_tokens: 'maxOutputTokens',
  max_completion_tokens: 'maxOutputTokens',
  top_p: 'topP',
  top_k: 'topK',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
  seed: 'seed',
  providerOptions: 'providerOptions',
}

function toSettings(settings: Readonly<Record<string, unknown>>, version: string): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || name === 'stream_options') continue
    const known = getOwn(settingNames, name)
    if (known) options[known] = value
    else if (name === 'stop') options.stopSequences = typeof value === 'string' ? [value] : value
    else if (name === 'response_format') options.responseFormat = toResponseFormat(value)
    else if (name === 'reasoning_effort' && version === 'v4') options.reasoning = value
    else throw unknownSetting(name)
  }
  return options
}

function toResponseFormat(format: unknown): Part {
  const { type, json_schema: named } = Object(format) as Part
  if (type === 'text') return { type }
  const { name, description, schema } = Object(named) as Part
  return JSON.parse(JSON.stringify({ type: 'json', name, description, schema }))
}

function unknownSetting(name: string): CapstanError {
  const message = `settings.${name} does not exist in the AI SDK's specification. Use settings.providerOptions: { PROVIDER: { ... } }.`
  return new CapstanError('unsupported', message, { evidence: { setting: name } })
}

/**
 * Converts messages to a prompt. The tool messages that follow one reply become one message, with tool names from the
 * calls.
 */
function toPrompt(messages: readonly Message[], target: PromptTarget): readonly Part[] {
  const prompt: Part[] = []
  const names = new Map<string, string>()
  let results: Part[] = []
  for (const message of messages) {
    if (message.role !== 'tool') results = []
    if (message.role === 'tool') {
      if (results.length === 0) prompt.push({ role: 'tool', content: results })
      results.push(toResult(message.tool_call_id, names.get(message.tool_call_id), message.content))
    } else if (message.role === 'user') prompt.push({ role: 'user', content: toUserParts(message, target) })
    else if (message.role === 'assistant') {
      for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name)
      const content = toReplyParts(message, target)
      // Providers reject a message without content.
      if (content.length > 0) prompt.push({ role: 'assistant', content })
    } else prompt.push({ role: 'system', content: textOf(message.content) })
  }
  return prompt
}

function toResult(toolCallId: string, toolName = 'unknown_tool', value: string): Part {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } }
}

function toUserParts({ content }: UserMessage, { version }: PromptTarget): readonly Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part) => toUserPart(part, version))
}

function toUserPart(part: ContentPart, version: SpecificationVersion): Part {
  const { type, text, image_url: image, input_audio: audio, file } = part
  if (type === 'text' && typeof text === 'string') return { type: 'text', text }
  const address = toText(isRecord(image) ? image.url : image)
  if (address !== '') return toFile({ data: address, mediaType: 'image/*' }, version)
  if (isRecord(audio)) {
    const format = toText(audio.format) || 'wav'
    const mediaType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`
    return toFile({ data: toText(audio.data), mediaType }, version)
  }
  if (isRecord(file) && toText(file.file_data) !== '') {
    const given = { data: toText(file.file_data), mediaType: 'application/octet-stream' }
    const filename = toText(file.filename)
    return { ...toFile(given, version), ...(filename === '' ? {} : { filename }) }
  }
  const message = `A part of type "${type}" in a user's message cannot be sent through the AI SDK. Use text, image_url, input_audio or file.`
  throw new CapstanError('unsupported', message, { evidence: { type } })
}

/** Converts a file: base64, a `data:` URL or an http(s) URL. */
function toFile(given: { readonly data: string; readonly mediaType: string }, version: string): Part {
  const { data, mediaType } = withoutPrefix(given)
  if (/^https?:/.test(data)) {
    const url = new URL(data)
    return { type: 'file', mediaType, data: version === 'v4' ? { type: 'url', url } : url }
  }
  return { type: 'file', mediaType, data: version === 'v4' ? { type: 'data', data } : data }
}

function withoutPrefix(given: { readonly data: string; readonly mediaType: string }): typeof given {
  const comma = given.data.startsWith('data:') ? given.data.indexOf(',') : -1
  if (comma === -1) return given
  const [mediaType = ''] = given.data.slice('data:'.length, comma).split(';')
  return { mediaType: mediaType || given.mediaType, data: given.data.slice(comma + 1) }
}

/**
 * Returns the parts of a reply as its provider sent them. If a different provider sent the reply, or if its text has
 * been changed, returns plain text and calls.
 */
function toReplyParts(message: AssistantMessage, { server }: PromptTarget): readonly Part[] {
  const { provider_parts: kept, tool_calls: calls = [], content, refusal } = message
  const text = textOf(content) || refusal || ''
  const own =
    message.server === server && Array.isArray(kept) ? withTexts(kept as KeptPart[], message) : undefined
  return own ?? [...(text === '' ? [] : [{ type: 'text', text }]), ...calls.map(toCallPart)]
}

/** Fills the kept parts with a message's text and calls. Undefined if the parts no longer match the message. */
function withTexts(kept: readonly KeptPart[], message: AssistantMessage): readonly Part[] | undefined {
  const { tool_calls: calls = [] } = message
  const rest = { text: textOf(message.content), reasoning: toText(message.reasoning_content) }
  const used = new Set<number>()
  const parts = kept.map((one): Part | undefined => {
    const options = one.providerOptions === undefined ? {} : { providerOptions: one.providerOptions }
    if (one.type === 'hosted') return one.part
    if (one.type === 'call') {
      const call = calls[one.index]
      used.add(one.index)
      return call && { ...toCallPart(call), ...options }
    }
    if (rest[one.type].length < one.length) return undefined
    const text = rest[one.type].slice(0, one.length)
    rest[one.type] = rest[one.type].slice(one.length)
    return { type: one.type, text, ...options }
  })
  const isWhole = rest.text === '' && rest.reasoning === '' && used.size === calls.length
  return isWhole && parts.every((part) => part !== undefined) ? parts : undefined
}

function toCallPart({ id, function: { name, arguments: given } }: ToolCall): Part {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: tryJson(given) ?? {} }
}
