import type {
  ChatModel,
  ContentPart,
  Message,
  ModelReply,
  ModelRequest,
  ModelSink,
  ToolCall,
  ToolDefinition,
} from '@capstan/core'
import type * as Api from '@opentelemetry/api'
import { eventNames, names, operations, requestFields } from './attributes.js'
import { codeOf } from './errors.js'
import type { ContentKind } from './options.js'
import type { Invocation, Invocations, Operation } from './spans.js'
import { headersOf } from './trace-headers.js'

/** The model, each of its answers a span. */
export function tracedModel(own: ChatModel, invocations: Invocations): ChatModel {
  const { name, structuredOutput } = own
  return {
    name,
    ...(structuredOutput === undefined ? {} : { structuredOutput }),
    complete(request, sink) {
      const invocation = invocations.ofRequest(request.idempotencyKey)
      return invocation ? chat(own, { request, sink }, invocation) : own.complete(request, sink)
    },
  }
}

interface Asked {
  readonly request: ModelRequest
  readonly sink: ModelSink | undefined
}

async function chat(own: ChatModel, { request, sink }: Asked, invocation: Invocation): Promise<ModelReply> {
  const { scope } = invocation
  const { api, content, propagate } = scope
  scope.redactor.learn(own)
  const told = {
    [names.operation]: operations.chat,
    [names.provider]: scope.provider,
    [names.requestModel]: own.name,
  }
  const attributes = { ...told, ...requestAttributes(request) }
  const operation = invocation.begin(`${operations.chat} ${own.name}`, api.SpanKind.CLIENT, attributes)
  operation.say(() => promptContent(request.messages, request.tools, content))
  const watch = watching(operation, sink)
  const headers = { ...request.headers, ...(propagate ? headersOf(operation.context, api) : {}) }
  try {
    const reply = await operation.within(() => own.complete({ ...request, headers }, watch.sink))
    operation.set(replyAttributes(reply))
    operation.say(() => outputContent(reply.message, reply.finishReason, content))
    const seconds = invocation.end(operation)
    if (seconds !== undefined)
      measure({ reply, seconds, told, first: request.stream ? watch.first : undefined }, invocation)
    return reply
  } catch (error) {
    if (request.signal.aborted) operation.set({ [names.aborted]: true })
    const failure = request.signal.aborted ? undefined : codeOf(error)
    const seconds = invocation.end(operation, failure)
    const ended = failure === undefined ? told : { ...told, [names.error]: failure }
    if (seconds !== undefined) scope.instruments?.chatDuration.record(seconds, ended)
    throw error
  }
}

interface Answered {
  readonly reply: ModelReply
  readonly seconds: number
  /** To its first piece, where it was streamed. */
  readonly first: number | undefined
  readonly told: Api.Attributes
}

function measure({ reply, seconds, first, told }: Answered, invocation: Invocation): void {
  const { tokens, model } = reply
  const { instruments } = invocation.scope
  const attributes = model ? { ...told, [names.responseModel]: model } : told
  instruments?.chatDuration.record(seconds, attributes)
  if (first !== undefined) instruments?.timeToFirstChunk.record(first, attributes)
  if (!tokens) return
  invocation.count(tokens.inputTokens, tokens.outputTokens)
  instruments?.inputTokens.record(tokens.inputTokens, attributes)
  instruments?.outputTokens.record(tokens.outputTokens, attributes)
}

/** Notes when the answer begins, and that it is asked for again. */
function watching(operation: Operation, sink: ModelSink | undefined) {
  const watch = {
    first: undefined as number | undefined,
    sink: ((delta) => {
      if (delta.type === 'retry') {
        const { attempt, delayMs, code, model } = delta
        operation.tell(eventNames.retry, {
          attempt,
          delay_ms: delayMs,
          [names.error]: code,
          ...(model ? { [names.requestModel]: model } : {}),
        })
      } else if (watch.first === undefined) {
        watch.first = operation.secondsSoFar()
        operation.set({ [names.timeToFirstChunk]: watch.first })
      }
      sink?.(delta)
    }) as ModelSink,
  }
  return watch
}

function requestAttributes({ settings = {}, stream }: ModelRequest): Api.Attributes {
  const attributes: Api.Attributes = { [names.stream]: stream }
  for (const [field, name] of Object.entries(requestFields)) {
    const value = settings[field]
    if (typeof value === 'number' || typeof value === 'string') attributes[name] = value
  }
  if (settings.response_format !== undefined) attributes[names.outputType] = 'json'
  return attributes
}

function replyAttributes({ model, finishReason, tokens }: ModelReply): Api.Attributes {
  return {
    ...(model ? { [names.responseModel]: model } : {}),
    ...(finishReason ? { [names.finishReasons]: [finishReason] } : {}),
    ...(tokens ? { [names.inputTokens]: tokens.inputTokens, [names.outputTokens]: tokens.outputTokens } : {}),
  }
}

type Kinds = ReadonlySet<ContentKind>

/** Values of attributes, before they are texts. */
type Content = Readonly<Record<string, unknown>>

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
function outputContent(message: Message, finishReason: string | undefined, kinds: Kinds): Content {
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
