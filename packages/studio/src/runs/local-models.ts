import type { AnyAgent, ChatModel, ModelOverride } from '@capstan/core'
import { chatModel } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { ModelService } from '../runtime/protocol.js'

/** The models for a run, which replace its agents' models. */
export interface ModelChoice {
  readonly agent: AnyAgent
  /** A model name for `agent`, at the base URL of the environment. */
  readonly model?: string | undefined
  readonly service?: ModelService | undefined
}

/**
 * Returns the models of a run. Models that are only named, and that the local service does not have, become its
 * planner. Models with their own URL stay, unless the service replaces all models.
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

/** Whether an agent of a run has its model only by name. */
function isNamed({ agents }: AnyAgent, name: string): boolean {
  const found: unknown = agents.get(name)
  return isRecord(found) && isRecord(found.options) && typeof found.options.model === 'string'
}
