import { joinBytes, toUtf8 } from '../bytes.js'
import { CapstanError, messageOf } from '../errors.js'
import { isRecord } from '../json.js'
import type { AssistantMessage, Message, ToolDefinition } from '../types/message.js'
import type { ModelRequest } from '../types/model.js'

/**
 * Returns the body of a request as UTF-8 parts. Messages and tools never change and are serialized once. `withUsage`
 * asks a stream to report its usage.
 * @throws CapstanError `invalid_request` for a setting that is not JSON
 */
export function toRequestBody(
  model: string,
  request: ModelRequest,
  withUsage = false,
): readonly Uint8Array[] {
  const { messages, tools, toolChoice = 'auto', settings = {}, stream } = request
  const fields = tools.length > 0 ? [`"tool_choice":${JSON.stringify(toolChoice)}`] : []
  if (stream) fields.push('"stream":true')
  for (const [name, value] of Object.entries(settings)) {
    if (value !== undefined && name !== 'stream_options')
      fields.push(`${toJson(name)}:${toSettingJson(name, value)}`)
  }
  const { stream_options: streamOptions } = settings
  const options = withUsage
    ? { ...(streamOptions as object | undefined), include_usage: true }
    : streamOptions
  // Servers reject stream options without a stream.
  if (stream && options !== undefined)
    fields.push(`"stream_options":${toSettingJson('stream_options', options)}`)
  return joinSmall([
    toUtf8(`{"model":${toJson(model)},"messages":[`),
    toList(messages),
    closing,
    ...(tools.length > 0 ? [toToolsField(tools)] : []),
    toUtf8(fields.length > 0 ? `,${fields.join(',')}}` : '}'),
  ])
}

/** Whether a request is for a stream and its settings leave usage reporting open. */
export function leavesUsageOpen({ stream, settings }: ModelRequest): boolean {
  const options = settings?.stream_options
  return stream && (options === undefined || (isRecord(options) && options.include_usage === undefined))
}

const closing = toUtf8(']')

/** Serialized conversations by their first message. */
const conversations = new WeakMap<Message, WrittenMessages>()

/** Serializes a list of messages as JSON entries. */
function toList(messages: readonly Message[]): Uint8Array {
  const [first] = messages
  if (!first) return new Uint8Array()
  const known = conversations.get(first)
  const written = known?.isStartOf(messages) ? known : new WrittenMessages()
  if (written !== known) conversations.set(first, written)
  return written.extend(messages, known)
}

/** Messages and their serialized entries. A conversation grows at its end, so its beginning is reused. */
class WrittenMessages {
  readonly #messages: Message[] = []
  /** The end of each entry. */
  readonly #ends: number[] = []
  /** Entries with a leading comma each, and free space. */
  #buffer = new Uint8Array()

  isStartOf(messages: readonly Message[]): boolean {
    const own = this.#messages
    if (own.length > messages.length) return false
    for (let at = own.length - 1; at >= 0; at--) if (own[at] !== messages[at]) return false
    return true
  }

  /** Returns the entries of all these messages, reusing those of another list. */
  extend(messages: readonly Message[], other?: WrittenMessages): Uint8Array {
    const known = other === this ? undefined : other?.entries()
    for (let at = this.#messages.length; at < messages.length; at++) {
      const message = messages[at] as Message
      this.#add(message, known?.get(message) ?? toUtf8(`,${toJson(withoutOwnFields(message))}`))
    }
    // Skips the comma before the first entry.
    return this.#buffer.subarray(1, this.#ends.at(-1))
  }

  entries(): Map<Message, Uint8Array> {
    const entryAt = (at: number) => this.#buffer.subarray(this.#ends[at - 1] ?? 0, this.#ends[at])
    return new Map(this.#messages.map((message, at) => [message, entryAt(at)]))
  }

  #add(message: Message, entry: Uint8Array): void {
    const start = this.#ends.at(-1) ?? 0
    const end = start + entry.byteLength
    if (end > this.#buffer.byteLength) {
      const grown = new Uint8Array(Math.max(end * 2, 4096))
      grown.set(this.#buffer.subarray(0, start))
      this.#buffer = grown
    }
    this.#buffer.set(entry, start)
    this.#messages.push(message)
    this.#ends.push(end)
  }
}

/** Removes `incomplete` and `taintedBy`: servers reject unknown fields. */
function withoutOwnFields(message: Message): Message {
  if (!('incomplete' in message || 'taintedBy' in message)) return message
  const { incomplete: _, taintedBy: __, ...sent } = message as AssistantMessage
  return sent
}

/** Joins small parts into one. Copying large parts would cost more than sending them separately. */
function joinSmall(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  let length = 0
  for (const { byteLength } of parts) length += byteLength
  return length > 64 * 1024 ? parts : [joinBytes(parts)]
}

function toSettingJson(name: string, value: unknown): string {
  let reason = `a ${typeof value} is not JSON`
  try {
    const json: string | undefined = toJson(value)
    if (json !== undefined) return json
  } catch (error) {
    reason = messageOf(error)
  }
  const message = `settings.${name} cannot be sent: ${reason}. Use a JSON value.`
  throw new CapstanError('invalid_request', message, { evidence: { setting: name } })
}

const toolsFields = new WeakMap<readonly ToolDefinition[], Uint8Array>()

function toToolsField(tools: readonly ToolDefinition[]): Uint8Array {
  const known = toolsFields.get(tools)
  if (known) return known
  const bytes = toUtf8(`,"tools":${toJson(tools)}`)
  toolsFields.set(tools, bytes)
  return bytes
}

/** Replaces lone surrogates, which servers reject. JSON writes them as escapes. */
function toJson(value: unknown): string {
  const json = JSON.stringify(value)
  return /\\ud[89a-f]/.test(json) ? JSON.stringify(value, wellFormed) : json
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}

/**
 * Rejects settings for fields that the agent itself writes.
 * @throws CapstanError `invalid_request`
 */
export function checkSettings(settings: Readonly<Record<string, unknown>> = {}): void {
  const reserved = ['model', 'messages', 'tools', 'tool_choice', 'stream'].find((name) =>
    Object.hasOwn(settings, name),
  )
  if (reserved === undefined) return
  const message = `settings.${reserved} is set by the agent itself. Use the option of the agent.`
  throw new CapstanError('invalid_request', message, { evidence: { field: reserved } })
}
