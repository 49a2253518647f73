import { freeBytes, toUtf8 } from '../bytes.js'
import { invalidRequest, messageOf } from '../errors.js'
import { hash, isRecord, isString, onceFor, startsWith } from '../json.js'
import { type AssistantMessage, type Message, type ToolDefinition, textOf } from '../types/message.js'
import type { ModelRequest } from '../types/model.js'
import { furtherFieldsOf, isThought, marks, toSnakeCase, withFields } from './reply-fields.js'

/** The differences between a server's request form and the usual one. */
export interface ServerForm {
  /** The server and model, as in a message's `server`. Fields that a different server added are not sent. */
  readonly server?: string
  /** Sends no `stream_options`, unless the settings contain it. */
  readonly withoutUsage?: true
  /** Sends no `strict` in tools. */
  readonly withoutStrict?: true
  /** Omits `tool_choice` when it is `auto`. */
  readonly withoutToolChoice?: true
  /** More fields and part types that are omitted from replies without a `server` mark. */
  readonly withoutFields?: readonly string[]
  /** Fields and part types that are omitted from replies that this server itself sent. */
  readonly withoutOwnFields?: readonly string[]
  /** Sends an empty `reasoning_content` with replies that have none. */
  readonly withReasoning?: true
  /**
   * Whether a request without tools contains the tools of earlier calls. `omitted`: no. `allowed`: yes, without a tool
   * choice. Default: yes, with the tool choice `none`.
   */
  readonly calledTools?: 'omitted' | 'allowed'
  /** Sends `max_tokens` as `max_completion_tokens`. */
  readonly withCompletionTokens?: true
  /** Sends no `include`, unless the settings contain one. */
  readonly withoutInclude?: true
  /** Sends call ids as nine letters and digits. */
  readonly shortIds?: true
}

/**
 * Returns the body of a request as UTF-8 parts, in the form that the server accepts. Messages and tools never change,
 * so they are serialized only once for each form. Streams are requested with their usage.
 * @throws CapstanError `invalid_request` for a setting that is not JSON
 */
export function toRequestBody(
  model: string,
  request: ModelRequest,
  form: ServerForm = {},
): readonly Uint8Array[] {
  const { messages, tools, toolChoice = 'auto', settings = {}, stream } = request
  const hasChoice = tools.length > 0 && !(form.withoutToolChoice && toolChoice === 'auto')
  const { stream_options: given, ...others } = settings
  const options = asksForUsage(request, form)
    ? { ...(given as object | undefined), include_usage: true }
    : given
  const fields = {
    ...(hasChoice && { tool_choice: toolChoice }),
    ...(stream && { stream }),
    ...others,
    // Servers reject stream options without a stream.
    stream_options: stream ? options : undefined,
  }
  const entries = Object.entries(fields).map(([name, value]) => {
    const sent = form.withCompletionTokens && name === 'max_tokens' ? completionTokens : name
    return value === undefined ? '' : `,${toJson(sent)}:${toSettingJson(name, value)}`
  })
  return [
    toUtf8(`{"model":${toJson(model)},"messages":[`),
    toList(messages, form, toEntry),
    toClosing(form.withoutStrict ? withoutStrict(tools) : tools),
    toUtf8(`${entries.join('')}}`),
  ]
}

/**
 * Whether to add `include_usage` to a request. True for a streamed request, unless the settings or the form say
 * otherwise.
 */
export function asksForUsage({ stream, settings }: ModelRequest, { withoutUsage }: ServerForm): boolean {
  const options = settings?.stream_options
  return (
    stream &&
    !withoutUsage &&
    (options === undefined || (isRecord(options) && options.include_usage === undefined))
  )
}

/** The messages as last written to each kind of server, by the first message of a conversation. */
const conversationsOf = onceFor((_first: Message) => new Map<string, WrittenMessages>())

/** Returns the JSON entries of a message, with a comma before each. */
type ToEntries = (message: Message, form: ServerForm) => string

/** Serializes an array of messages as JSON entries. Always pass the same `toEntries` for one server. */
export function toList(messages: readonly Message[], form: ServerForm, toEntries: ToEntries): Uint8Array {
  const [first] = messages
  if (!first) return new Uint8Array()
  const byForm = conversationsOf(first)
  const key = keyOf(form)
  let written = byForm.get(key)
  let entries: Map<Message, Uint8Array> | undefined
  if (!written || !startsWith(messages, written.messages)) {
    entries = written?.entries()
    written = new WrittenMessages()
    byForm.set(key, written)
  }
  for (let at = written.messages.length; at < messages.length; at++) {
    const message = messages[at] as Message
    written.add(message, entries?.get(message) ?? toUtf8(toEntries(message, form)))
  }
  return written.all
}

const keyOf = onceFor((form: ServerForm) => JSON.stringify(form))

/**
 * Messages and their serialized entries. A conversation grows only at its end, so the entries at its start are reused.
 */
class WrittenMessages {
  readonly messages: Message[] = []
  /** The buffer position where each entry ends. */
  readonly #ends: number[] = []
  /** The entries, each with a leading comma, and then free space. */
  #buffer = new Uint8Array()

  /** All entries, without the comma before the first one. */
  get all(): Uint8Array {
    return this.#buffer.subarray(1, this.#ends.at(-1))
  }

  entries(): Map<Message, Uint8Array> {
    const entryAt = (at: number) => this.#buffer.subarray(this.#ends[at - 1] ?? 0, this.#ends[at])
    return new Map(this.messages.map((message, at) => [message, entryAt(at)]))
  }

  add(message: Message, entry: Uint8Array): void {
    const start = this.#ends.at(-1) ?? 0
    this.#buffer = withBytes(this.#buffer, start, entry)
    this.messages.push(message)
    this.#ends.push(start + entry.byteLength)
  }
}

/** Writes bytes into a buffer, or into a larger copy of the buffer if they do not fit. */
export function withBytes(buffer: Uint8Array<ArrayBuffer>, start: number, bytes: Uint8Array) {
  let enough = buffer
  const end = start + bytes.byteLength
  if (end > buffer.byteLength) {
    enough = freeBytes(Math.max(end * 2, 2048))
    enough.set(buffer.subarray(0, start))
  }
  enough.set(bytes, start)
  return enough
}

/** Returns a message as JSON in the server's form, with a comma before it. */
function toEntry(message: Message, form: ServerForm): string {
  let sent = message.role === 'assistant' ? toSentReply(message, form) : withoutMarks(message)
  if (form.shortIds && sent.role === 'tool') sent = { ...sent, tool_call_id: toShortId(sent.tool_call_id) }
  return `,${toJson(sent)}`
}

function toSentReply(message: AssistantMessage, form: ServerForm): AssistantMessage {
  let sent = withoutMarks(message)
  const refused = isOfAnother(message, form) ? undefined : refusedIn(message, form)
  if (!refused) sent = toPlain(sent)
  else if (refused.length > 0) sent = withoutNamed(sent, refused)
  if (form.withReasoning && sent.reasoning_content === undefined) sent = { ...sent, reasoning_content: '' }
  const { tool_calls: calls } = sent
  return form.shortIds && calls
    ? { ...sent, tool_calls: calls.map((call) => ({ ...call, id: toShortId(call.id) })) }
    : sent
}

/** Removes our own fields from a message: servers reject unknown fields. */
function withoutMarks<Sent extends Message>(message: Sent): Sent {
  for (const mark of marks) if (mark in message) return omit(message, marks)
  return message
}

/** Whether a message has fields that a different server or model added. */
export function isOfAnother({ server }: AssistantMessage, form: ServerForm): boolean {
  return server !== undefined && server !== form.server
}

/** Returns a reply in the form that every server accepts. */
function toPlain(message: AssistantMessage): AssistantMessage {
  const { content, refusal, tool_calls: calls } = message
  const text = textOf(content) || refusal || ''
  const isNull = calls && text === '' && !content
  return { ...withFields(message, () => false), content: isNull ? content : text }
}

/** Returns the names of the server's own fields that are sent with a message in this form. */
export function sentFieldsOf(message: Message, form: ServerForm): readonly string[] {
  if (message.role !== 'assistant' || isOfAnother(message, form)) return []
  const refused = refusedIn(message, form)
  return furtherFieldsOf(message).filter((name) => !refused.includes(name))
}

function refusedIn({ server, content }: AssistantMessage, form: ServerForm): readonly string[] {
  const names = (server === undefined ? form.withoutFields : form.withoutOwnFields) ?? []
  // A server that sends reasoning as parts gets it back in these parts, because the field is Capstan's own.
  return Array.isArray(content) && content.some(isThought) ? ['reasoning_content', ...names] : names
}

/** Removes fields with these names, and parts of these types. */
function withoutNamed(reply: AssistantMessage, names: readonly string[]): AssistantMessage {
  const sent = withFields(reply, (name) => !names.includes(name))
  const { content, refusal } = reply
  // A refusal that is not sent becomes the content, because servers reject a reply without content.
  return names.includes('refusal') && !content && refusal ? { ...sent, content: refusal } : sent
}

function omit<Fields extends object>(record: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name))) as Fields
}

/** Returns an id of nine letters and digits, which all servers accept. The same id always gives the same result. */
export function toShortId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id
  let rest = BigInt(`0x${hash(id)}`)
  let short = ''
  // Uses the characters of base64, without the last two.
  for (; short.length < 9; rest /= 62n) short += btoa(String.fromCharCode(4 * Number(rest % 62n))).charAt(0)
  return short
}

export function toSettingJson(name: string, value: unknown): string {
  let reason = `a ${typeof value} is not JSON`
  try {
    const json: string | undefined = toJson(value)
    if (json !== undefined) return json
  } catch (error) {
    reason = messageOf(error)
  }
  const message = `settings.${name} cannot be sent: ${reason}. Use a JSON value.`
  throw invalidRequest(message, { setting: name })
}

/** Returns the JSON that ends the messages and contains the tools. */
const toClosing = onceFor((tools: readonly ToolDefinition[]) =>
  toUtf8(tools.length > 0 ? `],"tools":${toJson(tools)}` : ']'),
)

/** Returns a function that serializes an array of tools, only once for each form, because tools never change. */
export function toolWriter(toTool: (tool: ToolDefinition, withoutStrict?: true) => unknown) {
  const written = new WeakMap<readonly ToolDefinition[], string>()
  return (given: readonly ToolDefinition[], form: ServerForm): string => {
    const tools = form.withoutStrict ? withoutStrict(given) : given
    const known =
      written.get(tools) ?? tools.map((tool) => toJson(toTool(tool, form.withoutStrict))).join(',')
    written.set(tools, known)
    return known
  }
}

const withoutStrict = onceFor((tools: readonly ToolDefinition[]): readonly ToolDefinition[] =>
  tools.map((tool) => ({ ...tool, function: omit(tool.function, ['strict']) })),
)

/** Serializes a value as JSON. Replaces lone surrogates, which JSON escapes and servers reject. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value)
  return /\\ud[89a-f]/.test(json)
    ? JSON.stringify(value, (_, text) => (isString(text) ? text.toWellFormed() : text))
    : json
}

/** Request settings. Common settings have the same name for all servers; any other name is sent unchanged. */
export interface ModelSettings {
  readonly temperature?: number
  /**
   * Maximum number of tokens in one reply, including reasoning. Sent as `max_tokens`, or as `max_completion_tokens` if
   * a server requires it.
   */
  readonly maxTokens?: number
  /** Sent as `top_p`. */
  readonly topP?: number
  readonly seed?: number
  /** The reply ends before any of these strings. */
  readonly stop?: string | readonly string[]
  /** Sent as `reasoning_effort`. */
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | (string & {})
  readonly [field: string]: unknown
}

/** The newer name of `max_tokens`. */
export const completionTokens = 'max_completion_tokens'

function toField(name: string): string {
  return ['maxTokens', 'topP', 'reasoningEffort'].includes(name) ? toSnakeCase(name) : name
}

/** Renames settings to the names of request fields. */
export function toFields(settings: ModelSettings = {}): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [toField(name), value]))
}

/**
 * Rejects settings for fields that the agent sets itself, and fields that are set under two names.
 * @throws CapstanError `invalid_request`
 */
export function checkSettings(settings: ModelSettings = {}): void {
  const names = Object.keys(settings)
  for (const field of names) {
    const isReserved = ['model', 'messages', 'tools', 'tool_choice', 'stream'].includes(field)
    const sent = toField(field)
    const isTwice =
      sent !== field && [sent, sent.replace('max', 'max_completion')].find((name) => names.includes(name))
    if (!isReserved && !isTwice) continue
    const why = isReserved
      ? 'is set by the agent. Use its option.'
      : `is also set as ${isTwice}. Use one of them.`
    throw invalidRequest(`settings.${field} ${why}`, { field })
  }
}
