import { CapstanError, messageOf } from '../words/error.js'
import type { Message, ToolDefinition } from '../words/message.js'
import type { ModelRequest } from './model.js'

/**
 * The body of a request, joined from parts that are written once: a message never changes after it is added,
 * and tools not at all. @throws CapstanError `invalid_request` for a setting that JSON cannot hold
 */
export function toRequestBody(model: string, request: ModelRequest): string {
  const { messages, tools, toolChoice = 'auto', settings, stream } = request
  const fields = [`"model":${toJson(model)}`, `"messages":[${messages.map(toMessageJson).join(',')}]`]
  if (tools.length > 0)
    fields.push(`"tools":${toToolsJson(tools)}`, `"tool_choice":${JSON.stringify(toolChoice)}`)
  if (stream) fields.push('"stream":true')
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (value !== undefined) fields.push(`${toJson(name)}:${toSettingJson(name, value)}`)
  }
  return `{${fields.join(',')}}`
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

const messageJson = new WeakMap<Message, string>()
const toolsJson = new WeakMap<readonly ToolDefinition[], string>()

function toMessageJson(message: Message): string {
  return written(messageJson, message)
}

function toToolsJson(tools: readonly ToolDefinition[]): string {
  return written(toolsJson, tools)
}

function written<Key extends object>(cache: WeakMap<Key, string>, value: Key): string {
  const known = cache.get(value)
  if (known !== undefined) return known
  const json = toJson(value)
  cache.set(value, json)
  return json
}

/** Half of a surrogate pair is no text that servers read; JSON writes it as an escape. */
function toJson(value: unknown): string {
  const json = JSON.stringify(value)
  return /\\ud[89a-f]/.test(json) ? JSON.stringify(value, wellFormed) : json
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}
