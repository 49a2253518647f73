import type { AnyAgent, ChatModel, ModelOverride } from '@capstan/core'
import { chatModel } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { ModelService } from '../runtime/protocol.js'

/** A run's models, which replace its agents' models. */
export interface ModelChoice {
  readonly agent: AnyAgent
  /** The name of the model of `agent`, at the address of the environment. */
  readonly model?: string | undefined
  readonly service?: ModelService | undefined
}

/**
 * Returns the models of a run. Models that are given as a mere name, and that the local service does not know, become its
 * planner; models with their own address stay, unless the service replaces all.
 */
export function modelOverride({ agent, model, service }: ModelChoice): ModelOverride {
  const chosen = model === undefined ? undefined : chatModel(model)
  return (own, name) => {
    const mine = name === agent.name && chosen ? chosen : own
    if (!service) return mine
    if (!service.isForced && mine !== chosen && !isNamed(agent, name)) return mine
    return localModel(mine, service)
  }
}

function localModel({ name }: ChatModel, { models, baseURL, apiKey }: ModelService): ChatModel {
  return chatModel(models.includes(name) ? name : planner, { baseURL, apiKey })
}

const planner = 'planner'

/** Whether an agent of a run was given its model as a name. */
function isNamed({ agents }: AnyAgent, name: string): boolean {
  const found: unknown = agents.get(name)
  return isRecord(found) && isRecord(found.options) && typeof found.options.model === 'string'
}
