import { CapstanError } from '../words/error.js'
import type { ModelOf } from '../words/host.js'
import type { ChatModel } from '../words/model.js'

/**
 * The run option `model`: each model of an agent is replaced once, and what replaces one is left as it is.
 * @throws CapstanError `invalid_request` for what is no model
 */
export function toModelOf(given: ChatModel | ModelOf | undefined): ModelOf | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'function') {
    const model = checked(given)
    return () => model
  }
  const byAgent = new Map<string, Map<ChatModel, ChatModel>>()
  return (own, agent) => {
    const known = byAgent.get(agent) ?? new Map<ChatModel, ChatModel>()
    byAgent.set(agent, known)
    const other = known.get(own) ?? checked(given(own, agent))
    known.set(own, other)
    if (!known.has(other)) known.set(other, other)
    return other
  }
}

function checked(model: ChatModel): ChatModel {
  if (typeof model?.complete === 'function') return model
  const message =
    'The run was given a model that is none. Give one that chatModel(...), openaiModel(...) or a testing kit made.'
  throw new CapstanError('invalid_request', message)
}
