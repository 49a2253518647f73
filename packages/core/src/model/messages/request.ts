import { fromBase64, fromUtf8, toUtf8 } from '../../bytes.js'
import { invalidRequest } from '../../errors.js'
import { isRecord, onceFor, startsWith } from '../../json.js'
import { type ContentPart, callsOf, isInstruction, type Message, textOf } from '../../types/message.js'
import type { ModelRequest } from '../../types/model.js'
import { toText } from '../reply-fields.js'
import { type ServerForm, toJson, toolWriter, toSettingJson, withBytes } from '../request-body.js'
import { toBlockId, writeReplyBlocks, writeText } from './blocks.js'

/** Maximum tokens of a reply if the settings have no `maxTokens`. This interface requires a number. */
const defaultMaxTokens = 16_384

const mark = '"cache_control":{"type":"ephemeral"}'

/**
 * Returns the body of a request as UTF-8 parts. Messages and tools never change, so they are serialized only once for
 * each form. `isCached` marks the instructions, the last tool and the last message for the server's cache.
 * @throws CapstanError `invalid_request` for a setting that is not JSON, or an output schema that servers do not
 * enforce
 */
export function toMessagesBody(
  model: string,
  request: ModelRequest,
  { form, isCached }: { readonly form: ServerForm; readonly isCached: boolean },
): readonly Uint8Array[] {
  const { messages, stream } = request
  const { turns, endsInUser } = toTurns(messages, form)
  const system = messages.filter(isInstruction).map(({ content }) => textOf(content))
  const fields = [
    ...toFields(request),
    ...toSystem(system.join('\n\n'), isCached),
    ...(stream ? ['"stream":true'] : []),
  ]
  const isMarked = isCached && endsInUser
  const head = `{"model":${toJson(model)},${fields.join(',')}${toTools(request, form, isCached)},"messages":[`
  return [
    toUtf8(head),
    // The brace that ends the last block is omitted, so that the mark can be added.
    isMarked ? turns.subarray(0, -1) : turns,
    toUtf8(`${isMarked ? `,${mark}}` : ''}${turns.byteLength > 0 ? ']}' : ''}]}`),
  ]
}

function toSystem(text: string, isCached: boolean): readonly string[] {
  if (text.trim() === '') return []
  return [`"system":[{"type":"text","text":${toJson(text)}${isCached ? `,${mark}` : ''}}]`]
}

/** Returns the settings as JSON fields. Settings that have a different name in this interface are renamed. */
function toFields({ settings = {} }: ModelRequest): readonly string[] {
  const { max_completion_tokens, max_tokens = max_completion_tokens, ...given } = settings
  const {
    reasoning_effort,
    response_format,
    stop,
    stream_options: _,
    parallel_tool_calls: __,
    ...rest
  } = given
  const fields: Record<string, unknown> = { ...rest, max_tokens: max_tokens ?? defaultTokens(rest) }
  if (stop !== undefined) fields.stop_sequences ??= [stop].flat()
  if (reasoning_effort === 'none') fields.thinking ??= { type: 'disabled' }
  const output = {
    ...toEffort(reasoning_effort),
    format: toFormat(response_format),
    ...Object(rest.output_config),
  }
  if (Object.values(output).some((value) => value !== undefined)) fields.output_config = output
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${toJson(name)}:${toSettingJson(name, value)}`)
}

/** Returns the default for `max_tokens`, which must be greater than a thinking budget. */
function defaultTokens({ thinking }: Readonly<Record<string, unknown>>): number {
  const { budget_tokens: budget } = Object(thinking)
  return defaultMaxTokens + (typeof budget === 'number' ? budget : 0)
}

/** Converts a reasoning effort. The lowest effort of this interface is `low`. */
function toEffort(effort: unknown): Readonly<Record<string, unknown>> {
  if (effort === undefined || effort === 'none') return {}
  return { effort: effort === 'minimal' ? 'low' : effort }
}

/**
 * Returns the output format of a `response_format`.
 * @throws CapstanError `invalid_request` for a schema that servers do not enforce: a run then uses a tool
 */
function toFormat(format: unknown): unknown {
  if (format === undefined) return undefined
  const { type, json_schema } = Object(format)
  if (type === 'text') return undefined
  if (type !== 'json_schema') return format
  const { strict, schema } = Object(json_schema)
  if (strict === true) return { type, schema: JSON.parse(JSON.stringify(schema), withoutBounds) }
  const message =
    'response_format: servers with this interface enforce only closed schemas in which all fields are required.'
  throw invalidRequest(message)
}

/**
 * Removes bounds from a schema, because these servers reject them. Replies are still checked against the full schema.
 */
function withoutBounds(_key: string, part: unknown): unknown {
  if (!isRecord(part) || typeof part.type !== 'string') return part
  return Object.fromEntries(Object.entries(part).filter(([name]) => !bounds.includes(name)))
}

const bounds: readonly string[] = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'],
]

/** Returns the fields for the tools and the tool choice, each with a comma before it. */
function toTools(request: ModelRequest, form: ServerForm, isCached: boolean): string {
  const { tools, hostedTools = [], messages, settings = {}, toolChoice = 'auto' } = request
  if (tools.length + hostedTools.length === 0) return toCalledTools(messages, form)
  const own = writeTools(tools, form)
  const hosted = hostedTools.map(toJson).join(',')
  const all = hosted + (hosted === '' || own === '' ? '' : ',') + own
  const choice = toChoice(toolChoice, settings.parallel_tool_calls)
  const list = isCached ? `${all.slice(0, -1)},${mark}}` : all
  return `,"tools":[${list}]${choice ? `,"tool_choice":${toJson(choice)}` : ''}`
}

const writeTools = toolWriter(({ function: { name, description, parameters, strict } }) => {
  return { name, description, input_schema: parameters, strict }
})

/** Returns tools for the calls in a history, because servers require them even if the model may call none. */
function toCalledTools(messages: readonly Message[], { calledTools }: ServerForm): string {
  const names = new Set(messages.flatMap((message) => callsOf(message).map((call) => call.function.name)))
  if (names.size === 0 || calledTools === 'omitted') return ''
  const tools = [...names].map((name) => ({ name, input_schema: { type: 'object' } }))
  return `,"tools":${toJson(tools)}${calledTools ? '' : ',"tool_choice":{"type":"none"}'}`
}

/** Returns the tool choice. Undefined for the default choice. */
function toChoice(choice: NonNullable<ModelRequest['toolChoice']>, parallel: unknown) {
  const one = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'any', ...one }
  if (choice !== 'auto') return { type: 'tool', name: choice.function.name, ...one }
  return parallel === false ? { type: 'auto', ...one } : undefined
}

/** The turns as last written to each kind of server, by the first message of a conversation. */
const turnsOf = onceFor((_first: Message) => new Map<string, WrittenTurns>())

interface Turns {
  /** The serialized turns, without the end of the last one. */
  readonly turns: Uint8Array
  /** Whether the last turn is the user's. Only such a turn is marked for the cache. */
  readonly endsInUser: boolean
}

function toTurns(messages: readonly Message[], form: ServerForm): Turns {
  const [first] = messages
  if (!first) return { turns: new Uint8Array(), endsInUser: false }
  const byServer = turnsOf(first)
  const key = `${form.server} ${form.shortIds ?? ''} ${form.withoutOwnFields ?? ''}`
  const known = byServer.get(key)
  const conversation = known?.isStartOf(messages) ? known : new WrittenTurns(form)
  byServer.set(key, conversation)
  return conversation.extend(messages)
}

type Role = 'user' | 'assistant'

/**
 * Messages and their serialized turns. Consecutive messages of one role form one turn. Tool results belong to the
 * user's turns.
 */
class WrittenTurns {
  readonly #form: ServerForm
  #messages: readonly Message[] = []
  #role: Role | undefined
  #buffer = new Uint8Array()
  #end = 0

  constructor(form: ServerForm) {
    this.#form = form
  }

  isStartOf(messages: readonly Message[]): boolean {
    return startsWith(messages, this.#messages)
  }

  extend(messages: readonly Message[]): Turns {
    let text = ''
    for (let at = this.#messages.length; at < messages.length; at++) {
      const message = messages[at] as Message
      const blocks = toBlocks(message, this.#form)
      if (blocks.length === 0) continue
      const role = message.role === 'assistant' ? 'assistant' : 'user'
      // The first turn must be the user's.
      if (!this.#role && role === 'assistant') text += opening('user', true) + writeText('Continue.')
      const begun = this.#role ?? (text === '' ? undefined : 'user')
      text += begun === role ? ',' : opening(role, begun === undefined)
      text += blocks.join(',')
      this.#role = role
    }
    this.#messages = [...messages]
    const added = toUtf8(text)
    this.#buffer = withBytes(this.#buffer, this.#end, added)
    this.#end += added.byteLength
    return { turns: this.#buffer.subarray(0, this.#end), endsInUser: this.#role === 'user' }
  }
}

function opening(role: Role, isFirst: boolean): string {
  return `${isFirst ? '' : ']},'}{"role":"${role}","content":[`
}

/** Returns the blocks of a message as JSON strings. */
function toBlocks(message: Message, form: ServerForm): readonly string[] {
  if (message.role === 'assistant') return writeReplyBlocks(message, form)
  if (message.role === 'tool') {
    const { tool_call_id, content } = message
    // A result may be empty, but text in it may not.
    const said = content === '' ? {} : { content }
    return [toJson({ type: 'tool_result', tool_use_id: toBlockId(tool_call_id, form), ...said })]
  }
  if (message.role !== 'user') return []
  const { content } = message
  if (typeof content === 'string') return writeText(content)
  return content.flatMap((part) =>
    part.type === 'text' ? writeText(toText(part.text)) : [toJson(toBlock(part))],
  )
}

/** Returns a user's image or file as a block. Blocks of this interface, and any other parts, are sent unchanged. */
function toBlock(part: ContentPart): unknown {
  const { type, image_url: image, file } = part
  if (type === 'image_url')
    return { type: 'image', source: toSource(toText(Object(image).url) || toText(image)) }
  if (type !== 'file') return part
  const { file_data, file_id, filename } = Object(file)
  const title = toText(filename)
  const source = toText(file_id) === '' ? toSource(toText(file_data)) : { type: 'file', file_id }
  return { type: 'document', source, ...(title === '' ? {} : { title }) }
}

function toSource(address: string): unknown {
  const found = /^data:([^;,]*)[^,]*;base64,/i.exec(address.slice(0, 200))
  if (!found) return { type: 'url', url: address }
  const [start, type = ''] = found
  const data = address.slice(start.length)
  return type.startsWith('text/')
    ? { type: 'text', media_type: 'text/plain', data: fromUtf8([fromBase64(data)]) }
    : { type: 'base64', media_type: type, data }
}
