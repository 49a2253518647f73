import { CapstanError, messageOf } from '../words/error.js'
import type { Message, ToolDefinition } from '../words/message.js'
import { toUtf8 } from '../words/to-utf8.js'
import type { ModelRequest } from './model.js'

/**
 * The body of a request as UTF-8, joined from parts that are written once: a message never changes after it is added,
 * and tools not at all. @throws CapstanError `invalid_request` for a setting that JSON cannot hold
 */
export function toRequestBody(model: string, request: ModelRequest): Uint8Array {
  const { messages, tools, toolChoice = 'auto', settings, stream } = request
  const further = tools.length > 0 ? [`"tool_choice":${JSON.stringify(toolChoice)}`] : []
  if (stream) further.push('"stream":true')
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (value !== undefined) further.push(`${toJson(name)}:${toSettingJson(name, value)}`)
  }
  return joined([
    toUtf8(`{"model":${toJson(model)},"messages":[`),
    ...messages.map((message, at) => (at === 0 ? toEntry(message).subarray(1) : toEntry(message))),
    closing,
    ...(tools.length > 0 ? [toToolsField(tools)] : []),
    toUtf8(further.length > 0 ? `,${further.join(',')}}` : '}'),
  ])
}

const closing = toUtf8(']')

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const body = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const part of parts) {
    body.set(part, at)
    at += part.byteLength
  }
  return body
}

function toSettingJson(name: string, value: unknown): string {
  let why = `a ${typeof value} is no JSON`
  try {
    const json: string | undefined = toJson(value)
    if (json !== undefined) return json
  } catch (error) {
    why = messageOf(error)
  }
  const message = `The setting "${name}" cannot be sent: ${why}. Settings are JSON values.`
  throw new CapstanError('invalid_request', message, { evidence: { setting: name } })
}

const entries = new WeakMap<Message, Uint8Array>()
const toolsFields = new WeakMap<readonly ToolDefinition[], Uint8Array>()

/** A message as an entry of a list, with the comma before it. */
function toEntry(message: Message): Uint8Array {
  return written(entries, message, ',')
}

function toToolsField(tools: readonly ToolDefinition[]): Uint8Array {
  return written(toolsFields, tools, ',"tools":')
}

function written<Key extends object>(
  cache: WeakMap<Key, Uint8Array>,
  value: Key,
  before: string,
): Uint8Array {
  const known = cache.get(value)
  if (known) return known
  const bytes = toUtf8(before + toJson(value))
  cache.set(value, bytes)
  return bytes
}

/** Half of a surrogate pair is no text that servers read; JSON writes it as an escape. */
function toJson(value: unknown): string {
  const json = JSON.stringify(value)
  return /\\ud[89a-f]/.test(json) ? JSON.stringify(value, wellFormed) : json
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}
