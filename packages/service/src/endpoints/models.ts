import type { Endpoint } from '../http/endpoint.js'
import { type ModelEntry, models } from '../models.js'
import { isUpstream, type Upstream } from '../upstream/upstream.js'
import { listUpstreamModels } from '../upstream/upstream-models.js'

/** Lists the models that answer here, each with its engine, how real it is and where it ends, then those upstream. */
export function modelsEndpoint(upstream: Upstream | undefined): Endpoint {
  return async ({ signal }) => {
    const local = Object.entries<ModelEntry>(models).filter(([, { does }]) => !isAway(upstream, does))
    const data = local.map(([id, { engine, kind, limit }]) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'capstan',
      engine,
      kind,
      limit,
    }))
    const others = upstream ? await listUpstreamModels(upstream, signal) : []
    return { json: { object: 'list', data: [...data, ...others] } }
  }
}

function isAway(upstream: Upstream | undefined, does: ModelEntry['does']): boolean {
  if (does !== 'listening') return isUpstream(upstream, does)
  return isUpstream(upstream, 'transcription') && isUpstream(upstream, 'translation')
}
