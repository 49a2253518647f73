import type { Endpoint } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { isUpstream, listUpstreamModels, type Upstream } from '../upstream.js'

/**
 * Lists the models of this service, each with its engine, its kind and its limit, then those of the upstream
 * server.
 */
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

/** The models of this service, each with its engine and its kind. */
export const models = {
  planner: {
    engine: 'planner',
    kind: 'rules',
    does: 'chat',
    limit: 'picks and chains tools by rules; not a language model',
  },
  'gpt-image-1': {
    engine: 'painter',
    kind: 'procedural',
    does: 'images',
    limit: 'a small vocabulary of shapes and scenes',
  },
  'dall-e-2': {
    engine: 'painter',
    kind: 'procedural',
    does: 'images',
    limit: 'a small vocabulary of shapes and scenes',
  },
  'gpt-4o-mini-tts': { engine: 'flite', kind: 'real', does: 'speech', limit: 'English voices only' },
  'whisper-1': {
    engine: 'pocketsphinx',
    kind: 'real',
    does: 'listening',
    limit: 'English; translates a book of phrases in Spanish and Italian',
  },
} as const satisfies Record<string, ModelEntry>

export interface ModelEntry {
  readonly engine: string
  readonly kind: 'real' | 'procedural' | 'rules' | 'unsupported'
  readonly does: 'chat' | 'images' | 'speech' | 'listening'
  readonly limit: string
}

/**
 * Checks the `model` of a request. Throws a 400 when it is missing, and a 404 `model_not_found` with the
 * valid names otherwise.
 */
export function checkModel(model: unknown, does: ModelEntry['does']): ModelEntry {
  const fitting = Object.entries(models).filter(([, entry]) => entry.does === does)
  const list = fitting.map(([name]) => name).join(', ')
  if (typeof model !== 'string' || model === '') {
    throw new ServiceError(400, 'missing_model', `"model" is missing. Use one of: ${list}.`, 'model')
  }
  const found = fitting.find(([name]) => name === model)
  if (!found) {
    throw new ServiceError(
      404,
      'model_not_found',
      `The model "${model.slice(0, 60)}" does not exist at this endpoint. Use one of: ${list}.`,
      'model',
    )
  }
  return found[1]
}

/** Returns the header that names the engine of a response, for example `painter; procedural`. */
export function engineHeader(entry: ModelEntry): Record<string, string> {
  return { 'x-capstan-engine': `${entry.engine}; ${entry.kind}` }
}
