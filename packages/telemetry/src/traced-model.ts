import type { ChatModel, ModelReply, ModelRequest, ModelSink } from '@capstan/core'
import type * as Api from '@opentelemetry/api'
import { codeOf } from './code-of.js'
import { outputContent, promptContent } from './content.js'
import type { Invocation } from './invocation.js'
import type { Invocations } from './invocations.js'
import { eventNames, names, operations, requestFields } from './names.js'
import type { Operation } from './operation.js'
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
