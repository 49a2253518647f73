import type { AnyAgent, ChatModel, ModelOverride } from '@capstan/core'
import { chatModel } from '@capstan/core'
import { isRecord } from '@capstan/core/internal'
import type { ModelService } from '../runtime/protocol.js'

/** The data that determines which models a run uses instead of its agents' own. */
export interface ModelChoice {
  readonly agent: AnyAgent
  /** The name of a model for `agent`. It is called at the base URL from the environment. */
  readonly model?: string | undefined
  readonly service?: ModelService | undefined
}

/**
 * Returns the `model` run option. The local service, if there is one, replaces models that are configured by name only.
 * If the service does not have a model with that name, its planner is used. Other models are replaced only if the
 * service is to replace all models.
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

/** Whether one of a run's agents has its model configured by name only, without a URL. */
function isNamed({ agents }: AnyAgent, name: string): boolean {
  const found: unknown = agents.get(name)
  return isRecord(found) && isRecord(found.options) && typeof found.options.model === 'string'
}
