import type {
  ChatModel,
  ContentPart,
  Message,
  ModelReply,
  ModelRequest,
  ModelSink,
  TokenUsage,
  ToolCall,
  ToolDefinition,
  WrittenAsText,
} from '@capstan/core'
import { isInstruction } from '@capstan/core/internal'
import type * as Api from '@opentelemetry/api'
import { attributeNames, eventNames, operations, requestFields } from './attributes.js'
import { errorCode } from './errors.js'
import type { ContentKind } from './options.js'
import type { Invocation, Invocations, TokenCounts, TracedSpan } from './spans.js'
import { headersOf } from './trace-headers.js'

/** Wraps a model so that each reply has a span. */
export function tracedModel(own: ChatModel, invocations: Invocations): ChatModel {
  return {
    name: own.name,
    get structuredOutput() {
      return own.structuredOutput === true
    },
    get hostedTools() {
      return own.hostedTools === true
    },
    get vision() {
      return own.vision
    },
    get contextTokens() {
      return own.contextTokens
    },
    complete(request, sink) {
      const invocation = invocations.ofRequest(request.idempotencyKey)
      return invocation ? tracedChat(own, { request, sink }, invocation) : own.complete(request, sink)
    },
  }
}

interface ChatRequest {
  readonly request: ModelRequest
  readonly sink: ModelSink | undefined
}

async function tracedChat(
  own: ChatModel,
  { request, sink }: ChatRequest,
  invocation: Invocation,
): Promise<ModelReply> {
  const { telemetry } = invocation
  const { api, content, propagate } = telemetry
  telemetry.redactor.learn(own)
  const base = {
    [attributeNames.operation]: operations.chat,
    [attributeNames.provider]: telemetry.provider,
    [attributeNames.requestModel]: own.name,
  }
  const attributes = { ...base, ...requestAttributes(request) }
  let measured: Api.Attributes = base
  const span = invocation.startSpan({
    name: `${operations.chat} ${own.name}`,
    kind: api.SpanKind.CLIENT,
    attributes,
    onEnd: (seconds, failure) =>
      telemetry.instruments?.chatDuration.record(
        seconds,
        failure === undefined ? measured : { ...measured, [attributeNames.error]: failure },
      ),
  })
  span.setContent(() => promptContent(request.messages, request.tools, content))
  const watch = watchChunks(span, sink)
  const headers = { ...request.headers, ...(propagate ? headersOf(span.context, api) : {}) }
  try {
    const reply = await span.runWith(() => own.complete({ ...request, headers }, watch.sink))
    span.set(replyAttributes(reply))
    span.setContent(() => outputContent(reply.message, reply.finishReason, content))
    if (reply.model) measured = { ...base, [attributeNames.responseModel]: reply.model }
    const first = request.stream ? watch.first : undefined
    if (invocation.endSpan(span) !== undefined)
      recordMetrics({ reply, first, attributes: measured }, invocation)
    return reply
  } catch (error) {
    if (request.signal.aborted) span.set({ [attributeNames.aborted]: true })
    invocation.endSpan(span, request.signal.aborted ? undefined : errorCode(error))
    throw error
  }
}

interface ChatMeasurement {
  readonly reply: ModelReply
  /** Seconds until the first chunk of a streamed reply. */
  readonly first: number | undefined
  /** The operation, provider and models. */
  readonly attributes: Api.Attributes
}

function recordMetrics({ reply, first, attributes }: ChatMeasurement, invocation: Invocation): void {
  const { tokens } = reply
  const { instruments } = invocation.telemetry
  if (first !== undefined) instruments?.timeToFirstChunk.record(first, attributes)
  if (!tokens) return
  invocation.addTokens(tokenAttributes(tokens))
  instruments?.inputTokens.record(tokens.inputTokens, attributes)
  instruments?.outputTokens.record(tokens.outputTokens, attributes)
}

/** Wraps a sink to record retries and the time until the first chunk. */
function watchChunks(span: TracedSpan, sink: ModelSink | undefined) {
  const watch = {
    first: undefined as number | undefined,
    sink: ((delta) => {
      if (delta.type === 'retry') {
        const { attempt, delayMs, code, model } = delta
        span.addEvent(eventNames.retry, {
          attempt,
          delay_ms: delayMs,
          [attributeNames.error]: code,
          ...(model ? { [attributeNames.requestModel]: model } : {}),
        })
      } else if (watch.first === undefined) {
        watch.first = span.secondsSoFar()
        span.set({ [attributeNames.timeToFirstChunk]: watch.first })
      }
      sink?.(delta)
    }) as ModelSink,
  }
  return watch
}

function requestAttributes({ settings = {}, stream }: ModelRequest): Api.Attributes {
  const attributes: Api.Attributes = { [attributeNames.stream]: stream }
  for (const [field, name] of Object.entries(requestFields)) {
    const value = settings[field]
    if (typeof value === 'number' || typeof value === 'string') attributes[name] = value
  }
  if (settings.response_format !== undefined) attributes[attributeNames.outputType] = 'json'
  return attributes
}

function replyAttributes({ model, finishReason, tokens, textCalls }: ModelReply): Api.Attributes {
  return {
    ...(model ? { [attributeNames.responseModel]: model } : {}),
    ...(finishReason ? { [attributeNames.finishReasons]: [finishReason] } : {}),
    ...(textCalls ? textCallAttributes(textCalls) : {}),
    ...(tokens ? tokenAttributes(tokens) : {}),
  }
}

function textCallAttributes({ form, names, recovered }: WrittenAsText): Api.Attributes {
  return {
    [attributeNames.textCallForm]: form,
    [attributeNames.textCallTools]: [...names],
    [attributeNames.textCallRecovered]: recovered,
  }
}

/** Returns the token counts that a server reported, by attribute name. */
function tokenAttributes(tokens: TokenUsage): TokenCounts {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = tokens
  const counts = [
    [attributeNames.inputTokens, inputTokens],
    [attributeNames.outputTokens, outputTokens],
    [attributeNames.cachedInputTokens, cachedInputTokens],
    [attributeNames.cacheWriteTokens, cacheWriteTokens],
    [attributeNames.cacheCreationTokens, cacheWriteTokens],
    [attributeNames.reasoningTokens, reasoningTokens],
  ]
  return Object.fromEntries(counts.filter(([, count]) => count !== undefined))
}

type Kinds = ReadonlySet<ContentKind>

/** Attribute values before they are serialized. */
type Content = Readonly<Record<string, unknown>>

/** Returns a prompt's messages and tools as attributes. Includes only what `kinds` allows. */
export function promptContent(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  kinds: Kinds,
): Content {
  if (!kinds.has('prompts')) return {}
  const instructions = messages.flatMap((one) => (isInstruction(one) ? toParts(one.content) : []))
  const others = messages.filter((one) => !isInstruction(one))
  return {
    ...(instructions.length > 0 ? { [attributeNames.instructions]: instructions } : {}),
    [attributeNames.inputMessages]: others.map((one) => toMessage(one, kinds)),
    ...(tools.length > 0 ? { [attributeNames.toolDefinitions]: tools.map(toDefinition) } : {}),
  }
}

/** Returns a reply as an attribute. Includes only what `kinds` allows. */
function outputContent(message: Message, finishReason: string | undefined, kinds: Kinds): Content {
  if (!kinds.has('outputs')) return {}
  const answer = { ...toMessage(message, kinds), finish_reason: finishReason ?? '' }
  return { [attributeNames.outputMessages]: [answer] }
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
  // The setting for outputs also applies to earlier replies.
  const said = role === 'assistant' && !kinds.has('outputs') ? [] : toParts(message.content)
  return { role, parts: [...said, ...calls.map((call) => toCallPart(call, kinds))] }
}

function toCallPart({ id, function: called }: ToolCall, kinds: Kinds): object {
  const { name, arguments: text } = called
  return { type: 'tool_call', id, name, ...(kinds.has('arguments') ? { arguments: toValue(text) } : {}) }
}

/** Parses JSON text, and returns any other text unchanged. */
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

/** Converts an image or audio part to a description without its bytes. */
function toMediaPart({ type, image_url: picture }: ContentPart): object {
  const url = (picture as { readonly url?: unknown } | undefined)?.url
  if (typeof url !== 'string') return { type }
  const [, mimeType, base64] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(url) ?? []
  if (base64 === undefined) return { type: 'uri', modality: 'image', uri: withoutParameters(url) }
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
  return { type: 'file', modality: 'image', mime_type: mimeType, bytes }
}

/** Removes a URL's query, which may grant access. */
function withoutParameters(url: string): string {
  return url.replace(/[?#].*$/s, '')
}
