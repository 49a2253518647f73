import type { ModelOf } from '../words/host.js'
import type { ChatModel } from '../words/model.js'

/** The run option `model`: each model is replaced once, and what replaces one is left as it is. */
export function toModelOf(given: ChatModel | ModelOf | undefined): ModelOf | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'function') return () => given
  const byAgent = new Map<string, Map<ChatModel, ChatModel>>()
  const replacing = new Set<ChatModel>()
  return (own, agent) => {
    if (replacing.has(own)) return own
    const known = byAgent.get(agent) ?? new Map<ChatModel, ChatModel>()
    byAgent.set(agent, known)
    const other = known.get(own) ?? given(own, agent)
    known.set(own, other)
    replacing.add(other)
    return other
  }
}
