import type { ContentPart, Message, ToolCall, ToolDefinition } from '@capstan/core'
import { names } from './names.js'
import type { ContentKind } from './telemetry-options.js'

type Kinds = ReadonlySet<ContentKind>

/** Values of attributes, before they are texts. */
export type Content = Readonly<Record<string, unknown>>

/** What a model is asked: what `kinds` names of it. */
export function promptContent(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  kinds: Kinds,
): Content {
  if (!kinds.has('prompts')) return {}
  const instructions = messages.flatMap((one) => (one.role === 'system' ? toParts(one.content) : []))
  const others = messages.filter(({ role }) => role !== 'system')
  return {
    ...(instructions.length > 0 ? { [names.instructions]: instructions } : {}),
    [names.inputMessages]: others.map((one) => toMessage(one, kinds)),
    ...(tools.length > 0 ? { [names.toolDefinitions]: tools.map(toDefinition) } : {}),
  }
}

/** What it answers. */
export function outputContent(message: Message, finishReason: string | undefined, kinds: Kinds): Content {
  if (!kinds.has('outputs')) return {}
  const answer = { ...toMessage(message, kinds), finish_reason: finishReason ?? '' }
  return { [names.outputMessages]: [answer] }
}

function toDefinition({ type, function: { name, description, parameters } }: ToolDefinition): object {
  return { type, name, description, parameters }
}

function toMessage(message: Message, kinds: Kinds): object {
  const { role } = message
  if (role === 'tool') {
    const response = kinds.has('results') ? { response: toValue(message.content) } : {}
    return { role, parts: [{ type: 'tool_call_response', id: message.tool_call_id, ...response }] }
  }
  const calls = role === 'assistant' ? (message.tool_calls ?? []) : []
  // Of earlier answers as well, nothing is told that is not to be told of this one.
  const said = role === 'assistant' && !kinds.has('outputs') ? [] : toParts(message.content)
  return { role, parts: [...said, ...calls.map((call) => toCallPart(call, kinds))] }
}

function toCallPart({ id, function: called }: ToolCall, kinds: Kinds): object {
  const { name, arguments: text } = called
  return { type: 'tool_call', id, name, ...(kinds.has('arguments') ? { arguments: toValue(text) } : {}) }
}

/** What a text holds, where it is JSON. */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toParts(content: Message['content']): object[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', content }]
  return (content ?? []).map((part) =>
    typeof part.text === 'string' ? { type: 'text', content: part.text } : toMediaPart(part),
  )
}

/** What a picture or a sound is, never its bytes. */
function toMediaPart({ type, image_url: picture }: ContentPart): object {
  const url = (picture as { readonly url?: unknown } | undefined)?.url
  if (typeof url !== 'string') return { type }
  const [, mimeType, base64] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(url) ?? []
  if (base64 === undefined) return { type: 'uri', modality: 'image', uri: withoutParameters(url) }
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
  return { type: 'file', modality: 'image', mime_type: mimeType, bytes }
}

/** The parameters of an address may be a permission to read it. */
function withoutParameters(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
