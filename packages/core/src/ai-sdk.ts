import { abortable, joinSignals, Semaphore } from './async.js'
import { CapstanError, type ErrorCode, invalidRequest, isCapstanError, messageOf } from './errors.js'
import { contextRefusals } from './features/context-refusals.js'
import { recoverCalls } from './features/text-calls/recover-calls.js'
import { isRecord, listOf } from './json.js'
import { type SpecificationVersion, toCallOptions } from './model/ai-sdk-prompt.js'
import { AiSdkBuilder } from './model/ai-sdk-reply.js'
import { kindsOf, type VisionOptions, wrapSend } from './model/chat-model.js'
import type { RecoverOptions, WindowOptions } from './model/protocol.js'
import type { RawJson } from './model/reply-fields.js'
import { keptHeaders } from './model/reply-fields.js'
import { toApiError } from './model/response-errors.js'
import { withRetries } from './model/retry.js'
import { rootCause, startClock, type Timeouts, toTimeouts } from './model/transport.js'
import { checkOptionNames, kindOf } from './option-names.js'
import { Secrets, withSecretsOf } from './secrets/secrets.js'
import type { ChatModel, ModelReply, ModelRequest, ModelSink } from './types/model.js'

/** The part of an AI SDK language model that `aiSdkModel` uses, in specification version 2, 3 or 4. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4'
  /** The name of the provider, such as `google.generative-ai`. */
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): PromiseLike<unknown>
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

export interface AiSdkModelOptions extends RecoverOptions, VisionOptions, WindowOptions {
  /** Maximum retries after a failure that may be temporary. `0`: no retries. Default 2. */
  readonly maxRetries?: number
  /**
   * Maximum number of concurrent requests through this model object. Additional requests are queued in order of
   * arrival. Default 64.
   */
  readonly maxInFlight?: number
  /**
   * Time limits in milliseconds: `firstByte` until the provider responds (default 300,000), `idle` between two parts of
   * a stream (default 120,000) and `total` for the request (default 600,000). A number sets `total`.
   */
  readonly timeoutMs?: number | Partial<Omit<Timeouts, 'connect'>>
  /**
   * Whether the provider enforces an output schema (`responseFormat`). Default false: structured output uses a tool
   * instead, which works with every provider.
   */
  readonly structuredOutput?: boolean
}

const optionKinds = {
  maxRetries: true,
  maxInFlight: true,
  timeoutMs: true,
  structuredOutput: 'true or false',
  vision: 'true or false',
} as const

/**
 * Creates a model from an AI SDK provider's language model. The provider sends the requests, with its own
 * authentication. Retries, timeouts and checks work as in `chatModel`. The provider's metadata (signatures, ids) is
 * kept on the message, and sent back only to this provider and model.
 * @throws CapstanError `invalid_request` immediately if `model` is not an AI SDK language model, or an option is
 * unknown
 */
export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): ChatModel {
  checkLanguageModel(model)
  const features = [recoverCalls(), contextRefusals()]
  checkOptionNames(options, { ...optionKinds, ...kindsOf(features) }, { of: 'aiSdkModel' })
  const { maxRetries = 2, maxInFlight = 64, structuredOutput = false } = options
  const { timeoutMs } = options
  const timeouts = toTimeouts(timeoutMs)
  const semaphore = new Semaphore(maxInFlight)
  // The provider does not expose its key, so keys from the environment and values that look like keys are hidden.
  const secrets = new Secrets()
  const server = `${model.provider} ${model.modelId}`
  const send = wrapSend(
    features,
    (request, sink) => sendTo(model, request, { sink, timeouts, secrets, server }),
    { name: model.modelId, options: { ...options }, usualForm: () => ({ server }) },
  )
  const made: ChatModel = {
    name: model.modelId,
    structuredOutput,
    vision: options.vision,
    contextTokens: options.contextTokens,
    hostedTools: true,
    complete: (request, sink) => withRetries(request, sink, { send, maxRetries, semaphore, secrets }),
  }
  return withSecretsOf(made, [secrets])
}

function checkLanguageModel(model: unknown): asserts model is AiSdkLanguageModel {
  const { specificationVersion: version, doGenerate, doStream } = Object(model)
  const isModel = typeof doGenerate === 'function' && typeof doStream === 'function'
  if (isModel && ['v2', 'v3', 'v4'].includes(version)) return
  const found = isModel ? `a model with specification ${String(version)}` : kindOf(model)
  const message = `aiSdkModel needs an AI SDK language model (specification v2 to v4), not ${found}. Use aiSdkModel(openai("gpt-5-mini")).`
  throw invalidRequest(message, { specificationVersion: String(version) })
}

interface Sending {
  readonly sink: ModelSink | undefined
  readonly timeouts: Timeouts
  readonly secrets: Secrets
  readonly server: string
}

async function sendTo(
  model: AiSdkLanguageModel,
  request: ModelRequest,
  { sink, timeouts, secrets, server }: Sending,
): Promise<ModelReply> {
  const timeout = new AbortController()
  const clock = startClock(timeouts, (error) => timeout.abort(error))
  const { signal, release } = joinSignals([request.signal, timeout.signal])
  const reply = new AiSdkBuilder(server, sink)
  try {
    const version: SpecificationVersion = model.specificationVersion
    const options = { ...toCallOptions(request, { version, server }), abortSignal: signal }
    clock.enter('firstByte')
    const response = await (request.stream
      ? readStream(model, options, { reply, signal, onPart: () => clock.enter('idle') })
      : readWhole(model, options, { reply, signal }))
    const headers = keptHeaders(Object.entries(response.headers ?? {}).flat() as string[], secrets)
    const made = reply.toReply()
    return headers ? { ...made, response: { ...made.response, headers } } : made
  } catch (error) {
    throw signal.aborted ? signal.reason : toError(error, reply.hasBegun)
  } finally {
    clock.stop()
    release()
  }
}

interface Reading {
  readonly reply: AiSdkBuilder
  readonly signal: AbortSignal
}

interface ResponseFacts {
  readonly headers?: Readonly<Record<string, string>>
}

async function readWhole(
  model: AiSdkLanguageModel,
  options: object,
  { reply, signal }: Reading,
): Promise<ResponseFacts> {
  const result = Object(await abortable(signal, model.doGenerate(options as never))) as RawJson
  for (const part of listOf(result.content)) if (isRecord(part)) reply.add(part)
  if (isRecord(result.response)) reply.addResponse(result.response)
  reply.finish(result)
  return Object(result.response)
}

/**
 * Reads a stream to its end, or until `signal` aborts. Also cancels the stream on abort, because a provider may ignore
 * the signal.
 */
async function readStream(
  model: AiSdkLanguageModel,
  options: object,
  { reply, signal, onPart }: Reading & { onPart(): void },
): Promise<ResponseFacts> {
  const pending = Promise.resolve(model.doStream(options as never))
  const opened = pending.then(({ stream }) => stream.getReader())
  try {
    const reader = await abortable(signal, opened)
    for (;;) {
      const { done, value } = await abortable(signal, reader.read())
      if (done) return Object((await pending) as { response?: unknown }).response ?? {}
      onPart()
      if (isRecord(value)) reply.add(value)
    }
  } catch (error) {
    // The provider may open the stream after the timeout.
    opened.then((reader) => reader.cancel()).catch(() => {})
    throw error
  }
}

/**
 * Error codes by the names of the AI SDK's error classes. `instanceof` would fail if a program loads several copies of
 * the SDK.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  AI_LoadAPIKeyError: 'auth',
  AI_LoadSettingError: 'auth',
  AI_UnsupportedFunctionalityError: 'unsupported',
  AI_InvalidPromptError: 'invalid_request',
  AI_InvalidArgumentError: 'invalid_request',
  AI_NoSuchModelError: 'not_found',
  AI_TypeValidationError: 'invalid_response',
  AI_JSONParseError: 'invalid_response',
  AI_InvalidResponseDataError: 'invalid_response',
  AI_EmptyResponseBodyError: 'invalid_response',
  AI_NoContentGeneratedError: 'invalid_response',
}

/** Converts a provider's error to a CapstanError, unless it already is one. */
function toError(thrown: unknown, hasBegun: boolean): unknown {
  if (isCapstanError(thrown)) return thrown
  const { name, statusCode: status, responseBody, responseHeaders, isRetryable } = Object(thrown)
  if (typeof status === 'number' && status >= 300) {
    const headers = new Map(Object.entries(Object(responseHeaders) as Record<string, string>))
    const body = typeof responseBody === 'string' && responseBody !== '' ? responseBody : messageOf(thrown)
    return toApiError({ status, body, hasBegun, header: (header) => headers.get(header) ?? null })
  }
  const known = codes[String(name)]
  if (known) {
    const retryable = known === 'invalid_response'
    return new CapstanError(known, `AI SDK: ${messageOf(thrown)}`, { retryable, cause: thrown })
  }
  if (name === 'AI_APICallError' || thrown instanceof TypeError) {
    const message = `The AI SDK model did not respond (${rootCause(thrown)}). No tool ran.`
    const retryable = name !== 'AI_APICallError' || isRetryable === true
    return new CapstanError(hasBegun ? 'truncated' : 'network', message, { retryable, cause: thrown })
  }
  // An error part of a stream may contain any value, such as the server's error as JSON.
  const isValue = !(thrown instanceof Error)
  const text = isValue ? JSON.stringify(thrown) : messageOf(thrown)
  if (isValue && isRecord(thrown))
    return toApiError({ status: 200, body: JSON.stringify({ error: thrown }), hasBegun, header: () => null })
  return new CapstanError('api', `The AI SDK model failed: ${text}`, { retryable: false, cause: thrown })
}
