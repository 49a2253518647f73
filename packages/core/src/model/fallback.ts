import { CapstanError, isCapstanError, messageOf } from '../errors.js'
import { secretsOf, withSecretsOf } from '../secrets/secrets.js'
import type { ChatModel } from '../types/model.js'
import { checkModel } from './chat-model.js'

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
