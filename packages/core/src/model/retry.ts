import { CapstanError, isCapstanError, messageOf } from '../errors.js'
import { secretsOf, withSecretsOf } from '../secrets/secrets.js'
import type { ChatModel, ModelReply, ModelRequest, ModelSink } from '../types/model.js'
import { checkModel } from './check-model.js'

interface Retries {
  /** Maximum number of retries. */
  readonly max: number
  /** Waits. Rejects with the signal's reason on abort. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Maximum wait that a server may ask for. With a longer one the error is thrown. */
const maxRetryAfterMs = 60_000

/**
 * Retries after a retryable failure, unless the server asks to wait for more than a minute. After a stream was cut off,
 * the retry is not streamed: a JSON body shows whether it is complete.
 */
export async function withRetries(
  ask: (request: ModelRequest) => Promise<ModelReply>,
  request: ModelRequest,
  { max, wait }: Retries,
  sink?: ModelSink,
): Promise<ModelReply> {
  let current = request
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(current)
    } catch (error) {
      const canRetry =
        isCapstanError(error) && error.retryable && (error.retryAfterMs ?? 0) <= maxRetryAfterMs
      if (!canRetry || attempt > max || request.signal.aborted) throw error
      const { code, message, retryAfterMs } = error
      const delayMs = Math.round(retryAfterMs ?? backoff(attempt))
      sink?.({ type: 'retry', attempt, delayMs, code, message })
      await wait(delayMs, request.signal)
      if (code === 'truncated') current = { ...request, stream: false }
    }
  }
}

/**
 * Returns 500 ms, doubled for each attempt up to 8 s, less up to a quarter so that clients do not retry simultaneously.
 */
function backoff(attempt: number): number {
  return Math.min(500 * 2 ** (attempt - 1), 8000) * (1 - Math.random() / 4)
}

/**
 * Returns the wait that a server asks for, in milliseconds: `retry-after-ms`, else `retry-after` in seconds or as a
 * date. Undefined for a negative, past or unreadable value.
 */
export function toRetryAfter(header: (name: string) => string | null): number | undefined {
  const after = header('retry-after') ?? ''
  return toNumber(header('retry-after-ms') ?? '') ?? toMs(toNumber(after)) ?? untilDate(after)
}

/** Accepts only plain decimals: "1,5" and "0x10" are ambiguous. */
function toNumber(text: string): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000
}

/** Parses an HTTP or ISO 8601 date. */
function untilDate(text: string): number | undefined {
  if (!/^\s*([A-Za-z]{3,9}, \d|\d{4}-\d\d-\d\d)/.test(text)) return undefined
  const wait = Date.parse(text) - Date.now()
  return wait > 0 ? wait : undefined
}

/**
 * Combines several models. If one fails for any reason, the next one gets the request; the last error is thrown. Each
 * model makes its own retries first. The reply contains the name of its model.
 * @throws CapstanError `invalid_request` for an empty list, or a value in it that is not a model
 */
export function fallback(models: readonly ChatModel[]): ChatModel {
  if (!Array.isArray(models))
    throw new CapstanError('invalid_request', 'fallback takes a list of models: fallback([first, second]).')
  const [first, ...others]: readonly ChatModel[] = models
  if (models.length === 0)
    throw new CapstanError('invalid_request', 'fallback([...]) needs at least one model.')
  checkModel(first, 'A model of fallback')
  const [second] = others
  if (!second) return first
  const rest = fallback(others)
  const model: ChatModel = {
    name: first.name,
    get structuredOutput() {
      return models.every((model) => model.structuredOutput === true)
    },
    get hostedTools() {
      return models.every((model) => model.hostedTools === true)
    },
    get vision() {
      return models.every((model) => model.vision)
    },
    async complete(request, sink) {
      try {
        return { model: first.name, ...(await first.complete(request, sink)) }
      } catch (error) {
        if (request.signal.aborted) throw error
        const code = isCapstanError(error) ? error.code : 'api'
        sink?.({ type: 'retry', attempt: 1, delayMs: 0, code, message: messageOf(error), model: second.name })
        return { model: second.name, ...(await rest.complete(request, sink)) }
      }
    },
  }
  return withSecretsOf(model, models.flatMap(secretsOf))
}
