import { chatEndpoint } from './endpoints/chat.js'
import { embeddingsEndpoint } from './endpoints/embeddings.js'
import { type ImageLinks, mediaTypeOf } from './endpoints/image-links.js'
import { imageEndpoints } from './endpoints/images.js'
import { countTokensEndpoint, messagesEndpoint, toMessagesError } from './endpoints/messages.js'
import { enginesWith, modelEndpoint, modelsEndpoint } from './endpoints/models.js'
import type { OwnModels } from './endpoints/own-models.js'
import type { ReplyDependencies } from './endpoints/reply.js'
import * as known from './endpoints/request-fields.js'
import { responsesEndpoint } from './endpoints/responses.js'
import { speechEndpoint, voicesEndpoint } from './endpoints/speech.js'
import { transcriptionEndpoints } from './endpoints/transcription.js'
import { type Shape, withChecks } from './http/check-fields.js'
import type { Endpoint } from './http/endpoint.js'
import type { Route, Routes } from './http/handle-request.js'
import type { BodyType } from './http/request-body.js'
import { ServiceError } from './http/service-error.js'
import { forwardTo, isUpstream, type Upstream, type UpstreamEndpoint } from './upstream.js'
import type { Work } from './work/start-work.js'

export interface EndpointDependencies extends ReplyDependencies {
  /** Stores images that are delivered as links. */
  readonly links: ImageLinks
  /** Runs heavy tasks in worker threads. */
  readonly work: Work
  /** Whether to reject unknown fields and values out of bounds. */
  readonly strict: boolean
  /** Models that replace built-in engines. */
  readonly own: OwnModels
  /** Another server that handles some endpoints. Default: none. */
  readonly upstream?: Upstream | undefined
}

/** Returns the endpoints of the service by path. */
export function toRoutes(dependencies: EndpointDependencies): Routes {
  const { links, work, own, upstream, models, strict, contextTokens } = dependencies
  const engines = enginesWith(own, contextTokens)
  const images = imageEndpoints({ links, work, models })
  const listening = transcriptionEndpoints({ work, recognizer: own.recognizer, models })
  const forward = upstream && forwardTo(upstream)
  const { json, form } = routesOf(strict)
  const anthropic: ToRoute = (endpoint, shape) => ({ ...json(endpoint, shape), toErrorBody: toMessagesError })
  const away = (name: UpstreamEndpoint, here: Route): Route =>
    forward && isUpstream(upstream, name) ? { method: here.method, passage: forward } : here
  const routes = new Map<string, Route>([
    ['/v1/chat/completions', away('chat', json(chatEndpoint(dependencies), known.chatFields))],
    ['/v1/responses', away('responses', json(responsesEndpoint(dependencies), known.responsesFields))],
    ['/v1/messages', away('messages', anthropic(messagesEndpoint(dependencies), known.messagesFields))],
    [
      '/v1/messages/count_tokens',
      away('messages', anthropic(countTokensEndpoint(models), known.messagesFields)),
    ],
    ['/v1/images/generations', away('images', json(images.generate, known.generationFields))],
    ['/v1/images/edits', away('images', form(images.edit, known.editFields))],
    ['/v1/images/variations', away('images', form(images.vary, known.variationFields))],
    ['/v1/audio/speech', away('speech', json(speechEndpoint(work, models, own.voice), known.speechFields))],
    [
      '/v1/audio/transcriptions',
      away('transcription', form(listening.transcribe, known.transcriptionFields)),
    ],
    ['/v1/audio/translations', away('translation', form(listening.translate, known.translationFields))],
    ['/v1/embeddings', away('embeddings', json(embeddingsEndpoint(models), known.embeddingFields))],
    ['/v1/audio/voices', { method: 'GET', endpoint: voicesEndpoint(own.voice) }],
    ['/v1/models', { method: 'GET', endpoint: modelsEndpoint(models, upstream, engines) }],
    ['/healthz', { method: 'GET', open: true, endpoint: async () => ({ json: { status: 'ok' } }) }],
  ])
  const model: Route = { method: 'GET', passage: modelEndpoint(models, upstream, forward, engines) }
  const find = (path: string) => {
    if (path.startsWith('/files/')) return toFile(links, path)
    return path.startsWith('/v1/models/') ? model : routes.get(path)
  }
  return { find, list: [...routes].map(([path, { method }]) => `${method} ${path}`) }
}

type ToRoute = (endpoint: Endpoint, shape: Shape) => Route

function routesOf(strict: boolean): { readonly json: ToRoute; readonly form: ToRoute } {
  const toRoute =
    (takes: BodyType): ToRoute =>
    (endpoint, shape) => {
      const isForm = takes === 'multipart/form-data'
      return { method: 'POST', takes, endpoint: withChecks(endpoint, { shape, strict, isForm }) }
    }
  return { json: toRoute('application/json'), form: toRoute('multipart/form-data') }
}

// Needs no key, because the URL cannot be guessed and expires.
function toFile(links: ImageLinks, path: string): Route {
  const endpoint: Endpoint = async () => {
    const bytes = links.get(path)
    if (!bytes)
      throw new ServiceError(
        404,
        'not_found',
        'The image link has expired or never existed. Generate the image again.',
      )
    return { bytes, mediaType: mediaTypeOf(path) }
  }
  return { method: 'GET', open: true, endpoint }
}
