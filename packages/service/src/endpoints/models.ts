import type { IncomingHttpHeaders } from 'node:http'
import type { Endpoint, ForwardEndpoint } from '../http/endpoint.js'
import { ServiceError } from '../http/service-error.js'
import { isUpstream, listUpstreamModels, type Upstream } from '../upstream.js'

/** The model names that requests may use. `any` accepts every name. */
export type ModelNames = 'any' | readonly string[]

/** The kinds of requests that name a model. */
export type ModelKind = 'chat' | 'images' | 'speech' | 'listening' | 'embeddings'

interface Engine {
  readonly name: string
  readonly kind: 'real' | 'procedural' | 'rules'
  readonly limit: string
  /** The size of the context window in tokens. Default: no limit. */
  readonly contextTokens?: number
}

type Engines = Readonly<Record<ModelKind, Engine>>

/** The built-in engine for each kind of request. It handles every model name. */
const engines: Engines = {
  chat: {
    name: 'planner',
    kind: 'rules',
    limit: 'picks and chains tools by rules; not a language model',
  },
  images: { name: 'painter', kind: 'procedural', limit: 'a small vocabulary of shapes and scenes' },
  speech: { name: 'flite', kind: 'real', limit: 'English voices only' },
  listening: {
    name: 'pocketsphinx',
    kind: 'real',
    limit: 'English; translates a book of phrases in Spanish and Italian',
  },
  embeddings: { name: 'hashed-words', kind: 'procedural', limit: 'words in common, not meaning' },
}

/** The engine for the user's own models. */
export const ownEngine: Engine = {
  name: 'sherpa-onnx',
  kind: 'real',
  limit: 'a model that the user provides',
}

/**
 * Returns the engines of a service. The user's models replace built-in engines, and the chat engine gets the context
 * window.
 */
export function enginesWith(
  { voice, recognizer }: { readonly voice?: unknown; readonly recognizer?: unknown },
  contextTokens?: number,
): Engines {
  return {
    ...engines,
    ...(contextTokens !== undefined && { chat: { ...engines.chat, contextTokens } }),
    ...(voice !== undefined && { speech: ownEngine }),
    ...(recognizer !== undefined && { listening: ownEngine }),
  }
}

/** A model name for each engine, to show in lists and documents. */
export const usualNames: readonly string[] = [
  'planner',
  'gpt-image-1',
  'dall-e-2',
  'gpt-4o-mini-tts',
  'whisper-1',
  'text-embedding-3-small',
]

// Programs check that these names are in the list before they use them.
const otherNames = [
  'gpt-4o',
  'gpt-4o-mini',
  'dall-e-3',
  'tts-1',
  'tts-1-hd',
  'gpt-4o-transcribe',
  'gpt-4o-mini-transcribe',
  'text-embedding-3-large',
  'text-embedding-ada-002',
]

// The first match determines the kind, because `gpt-image-1` and `gpt-4o-mini-tts` also start like the names of chat
// models.
const forms: readonly (readonly [ModelKind, RegExp])[] = [
  ['embeddings', /embed/i],
  ['speech', /\btts\b|speech/i],
  ['listening', /whisper|transcri/i],
  ['images', /image|dall-e/i],
  ['chat', /^(planner$|gpt-|chatgpt|o\d|claude)/i],
]

/** Infers the kind of a model from its name. Undefined if the name has no known form. */
export function kindOfModel(name: string): ModelKind | undefined {
  return forms.find(([, form]) => form.test(name))?.[0]
}

const longestName = 256

/**
 * Checks `model` in a request, and returns it. If `names` is an array, throws a 404 `model_not_found` for any other
 * name and for a model of another kind. Throws a 400 if the model is missing. For images, the model is optional.
 */
export function checkModel(model: unknown, kind: ModelKind, names: ModelNames): string {
  const fitting = (names === 'any' ? usualNames : names).filter((name) => isFor(kind, name))
  const list = fitting.slice(0, 10).join(', ') || 'none'
  if (model === undefined || model === null || model === '') {
    const [usual] = fitting
    if (kind === 'images' && usual !== undefined) return usual
    throw new ServiceError(400, 'missing_model', `"model" is required. Use one of: ${list}.`, 'model')
  }
  if (typeof model !== 'string' || model.length > longestName) {
    const message = `"model" must be a name of up to ${longestName} characters, such as "${fitting[0]}".`
    throw new ServiceError(400, 'invalid_type', message, 'model')
  }
  if (names === 'any' || fitting.includes(model)) return model
  const message = `The model "${model.slice(0, 60)}" does not exist at this endpoint. Use one of: ${list}.`
  throw new ServiceError(404, 'model_not_found', message, 'model')
}

function isFor(kind: ModelKind, name: string): boolean {
  return (kindOfModel(name) ?? kind) === kind
}

/** Returns a response header that names the engine, for example `painter; procedural`. */
export function engineHeader(kind: ModelKind, engine = engines[kind]): Record<string, string> {
  return { 'x-capstan-engine': `${engine.name}; ${engine.kind}` }
}

/** Lists the local models, each with its engine, kind and limit, followed by the upstream server's models. */
export function modelsEndpoint(
  names: ModelNames,
  upstream: Upstream | undefined,
  own: Engines = engines,
): Endpoint {
  return async ({ signal, headers }) => {
    const all = names === 'any' ? [...usualNames, ...otherNames] : names
    const local = all.filter((name) => !isAway(upstream, kindOfModel(name)))
    const others = upstream ? await listUpstreamModels(upstream, signal) : []
    if (isMessagesClient(headers)) return { json: toMessagesList(local) }
    return { json: { object: 'list', data: [...local.map((name) => toModel(name, own)), ...others] } }
  }
}

function isMessagesClient(headers: IncomingHttpHeaders): boolean {
  return headers['anthropic-version'] !== undefined
}

/** Returns the chat models in the format of the Messages protocol. */
function toMessagesList(names: readonly string[]): object {
  const chat = names.filter((name) => isFor('chat', name))
  const [first = null, last = null] = [chat[0], chat.at(-1)]
  return { data: chat.map(toMessagesModel), has_more: false, first_id: first, last_id: last }
}

function toMessagesModel(id: string): object {
  return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
}

/**
 * Describes one model. Forwards the request if the upstream server handles the model's kind. A model of an unknown kind
 * counts as a chat model here.
 */
export function modelEndpoint(
  names: ModelNames,
  upstream: Upstream | undefined,
  forward: ForwardEndpoint | undefined,
  own: Engines = engines,
): ForwardEndpoint {
  return async (request) => {
    const name = nameIn(request.path)
    const isName = name.length <= longestName && !/^\.*$/.test(name)
    if (isName && forward && isAway(upstream, kindOfModel(name) ?? 'chat')) {
      // The name is one path segment, so that the request cannot reach any other path on that server.
      return forward({ ...request, path: `/v1/models/${encodeURIComponent(name)}` })
    }
    const known = isName && (names === 'any' || names.includes(name))
    if (known) return { json: isMessagesClient(request.headers) ? toMessagesModel(name) : toModel(name, own) }
    const message = `The model "${name.slice(0, 60)}" does not exist. GET /v1/models lists the models.`
    throw new ServiceError(404, 'model_not_found', message, 'model')
  }
}

function nameIn(path: string): string {
  const encoded = (path.split('?', 1)[0] ?? '').slice('/v1/models/'.length)
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}

function isAway(upstream: Upstream | undefined, kind: ModelKind | undefined): boolean {
  if (kind === undefined) return false
  if (kind !== 'listening') return isUpstream(upstream, kind)
  return isUpstream(upstream, 'transcription') && isUpstream(upstream, 'translation')
}

/** Returns a model's entry for the list. A name of an unknown kind is listed as a chat model. */
function toModel(id: string, own: Engines): object {
  const { name: engine, kind, limit, contextTokens } = own[kindOfModel(id) ?? 'chat']
  // vLLM uses this name.
  const window = contextTokens === undefined ? {} : { max_model_len: contextTokens }
  return { id, object: 'model', created: 0, owned_by: 'capstan', engine, kind, limit, ...window }
}
