import { type Semaphore, sleep } from '../async.js'
import { type CapstanError, codeOf, invalidRequest, isCapstanError, messageOf } from '../errors.js'
import { isFunction, isString } from '../json.js'
import { kindOf } from '../option-names.js'
import { type Secrets, secretsOf, withSecretsOf } from '../secrets/secrets.js'
import type { ChatModel, ModelReply, ModelRequest, ModelSink } from '../types/model.js'
import { withoutSecrets } from './response-errors.js'

/**
 * Rejects a value that is not a model.
 * @throws CapstanError `invalid_request`, with a message that names the function to use
 */
export function checkModel(model: unknown, of = '`model`'): asserts model is ChatModel {
  const { complete, doGenerate, specificationVersion, chat } = Object(model)
  if (isFunction(complete)) return
  let [found, use] = [kindOf(model), 'chatModel(name) or openaiModel(client, name)']
  if (chat) [found, use] = ['an OpenAI client', 'openaiModel(client, name) from @capstan/core/openai']
  if (doGenerate || specificationVersion)
    [found, use] = ['an AI SDK model', 'aiSdkModel(model) from @capstan/core/ai-sdk']
  throw invalidRequest(`${of} is ${found}, not a ChatModel. Use ${use}.`)
}

/** Rejects a value that is not a model name, which is a non-empty string. @throws CapstanError `invalid_request` */
export function checkName(name: unknown, of: string): void {
  if (isString(name) && name !== '') return
  const found = name === '' ? 'empty' : kindOf(name)
  throw invalidRequest(`Model name is ${found}. Pass one: ${of}("gpt-5-mini").`)
}

/** The parts of a model that send its requests and limit them. */
interface Sending {
  /** Sends a request once, without retries. */
  send(request: ModelRequest, sink?: ModelSink): Promise<ModelReply>
  readonly maxRetries: number
  /** Waits before a retry. Rejects with the signal's reason on abort. Default: `sleep`. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** Limits the number of concurrent requests. Default: no limit. */
  readonly semaphore?: Semaphore
  /** Secrets to remove from errors. */
  readonly secrets?: Secrets
}

/** The longest wait that a server may request. If a server requests a longer wait, the error is thrown. */
const maxRetryAfterMs = 60_000

/**
 * Waits for a slot, then sends a request. Retries after a retryable failure, unless the server asks for a wait of more
 * than a minute. If a stream was cut off, the retry is not streamed, because a JSON body shows whether it is complete.
 */
export async function withRetries(
  request: ModelRequest,
  sink: ModelSink | undefined,
  { send, maxRetries, wait = sleep, semaphore, secrets }: Sending,
): Promise<ModelReply> {
  const { signal, retries = true } = request
  // Deltas are emitted only if a stream was requested, but then also for retries that are not streamed.
  const deltas = request.stream ? sink : undefined
  let current = request
  for (let attempt = 1; ; attempt++) {
    try {
      signal.throwIfAborted()
      const sent = current
      const work = () => request.wrapAttempt?.(sent, (given) => send(given, deltas)) ?? send(sent, deltas)
      return await (semaphore?.run(signal, work) ?? work())
    } catch (thrown) {
      const error = secrets ? withoutSecrets(thrown, secrets, signal) : thrown
      const { code, message, retryable, retryAfterMs } = Object(error) as CapstanError
      const canRetry = isCapstanError(error) && retryable && (retryAfterMs ?? 0) <= maxRetryAfterMs
      if (!canRetry || !retries || attempt > maxRetries || signal.aborted) throw error
      // The delay doubles with each attempt, minus up to a quarter at random, so that clients do not retry
      // simultaneously.
      const backoff = Math.min(500 * 2 ** (attempt - 1), 8000) * (1 - Math.random() / 4)
      const delayMs = Math.round(retryAfterMs ?? backoff)
      sink?.({ type: 'retry', attempt, delayMs, code, message })
      await wait(delayMs, signal)
      if (code === 'truncated') current = { ...request, stream: false }
    }
  }
}

/**
 * Combines several models. If a model fails for any reason, the next model gets the request; if all fail, the last
 * error is thrown. Each model makes its own retries first. The reply names the model that wrote it.
 * @throws CapstanError `invalid_request` for an empty array, or an item that is not a model
 */
export function fallback(models: readonly ChatModel[]): ChatModel {
  if (!Array.isArray(models))
    throw invalidRequest('fallback takes an array of models: fallback([first, second]).')
  const [first, ...others]: readonly ChatModel[] = models
  if (models.length === 0) throw invalidRequest('fallback([...]) needs at least one model.')
  checkModel(first, 'A model in fallback')
  const [second] = others
  if (!second) return first
  const rest = fallback(others)
  const model: ChatModel = {
    name: first.name,
    others: [second.name, ...(rest.others ?? [])],
    get structuredOutput() {
      return models.every((model) => model.structuredOutput === true)
    },
    get hostedTools() {
      return models.every((model) => model.hostedTools === true)
    },
    get vision() {
      return models.every((model) => model.vision)
    },
    get contextTokens() {
      const known = models.flatMap(({ contextTokens = [] }) => contextTokens)
      return known.length > 0 ? Math.min(...known) : undefined
    },
    async complete(request, sink) {
      try {
        return { model: first.name, ...(await first.complete(request, sink)) }
      } catch (error) {
        if (request.signal.aborted) throw error
        const code = codeOf(error)
        sink?.({ type: 'retry', attempt: 1, delayMs: 0, code, message: messageOf(error), model: second.name })
        return { model: second.name, ...(await rest.complete(request, sink)) }
      }
    },
  }
  return withSecretsOf(model, models.flatMap(secretsOf))
}
