import { ServiceError } from './http/service-error.js'

/** The models this service lists, each with what stands behind the name and how real it is. */
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

/** Checks the request's `model`: 400 when missing, 404 `model_not_found` with the list when it cannot do this. */
export function checkModel(model: unknown, does: ModelEntry['does']): ModelEntry {
  const fitting = Object.entries(models).filter(([, entry]) => entry.does === does)
  const list = fitting.map(([name]) => name).join(', ')
  if (typeof model !== 'string' || model === '') {
    throw new ServiceError(
      400,
      'missing_model',
      `Say which model to use: "model" is one of ${list}.`,
      'model',
    )
  }
  const found = fitting.find(([name]) => name === model)
  if (!found) {
    throw new ServiceError(
      404,
      'model_not_found',
      `No model "${model.slice(0, 60)}" for this endpoint. There are: ${list}.`,
      'model',
    )
  }
  return found[1]
}

/** The header that says of each answer what made it, for example `painter; procedural`. */
export function engineHeader(entry: ModelEntry): Record<string, string> {
  return { 'x-capstan-engine': `${entry.engine}; ${entry.kind}` }
}
