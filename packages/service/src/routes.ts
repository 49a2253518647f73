import { chatEndpoint } from './endpoints/chat.js'
import { type ImageLinks, mediaTypeOf } from './endpoints/image-links.js'
import { imageEndpoints } from './endpoints/images.js'
import { modelsEndpoint } from './endpoints/models.js'
import { listVoices, speechEndpoint } from './endpoints/speech.js'
import { type TranscriptionDependencies, transcriptionEndpoints } from './endpoints/transcription.js'
import type { Endpoint } from './http/endpoint.js'
import type { Route, Routes } from './http/handle-request.js'
import { ServiceError } from './http/service-error.js'
import type { Script } from './play-script.js'
import { forwardTo, isUpstream, type Upstream, type UpstreamEndpoint } from './upstream.js'
import type { Work } from './work/start-work.js'

/** The dependencies of the endpoints. */
export interface EndpointDependencies {
  /** Stores images that are delivered as links. */
  readonly links: ImageLinks
  /** Runs heavy tasks in worker threads. */
  readonly work: Work
  /** Replies to chats that its rules match. Default: none. */
  readonly script?: Script | undefined
  /** Replaces the built-in recogniser. Default: none. */
  readonly whisper?: TranscriptionDependencies['whisper']
  /** Handles some endpoints on another server. Default: none. */
  readonly upstream?: Upstream | undefined
}

/** Returns the endpoints of the service by path. */
export function toRoutes({ links, work, script, whisper, upstream }: EndpointDependencies): Routes {
  const images = imageEndpoints({ links, work })
  const listening = transcriptionEndpoints({ work, whisper })
  const away = (name: UpstreamEndpoint, here: Route): Route =>
    upstream && isUpstream(upstream, name) ? { method: here.method, passage: forwardTo(upstream) } : here
  const routes = new Map<string, Route>([
    ['/v1/chat/completions', away('chat', json(chatEndpoint(script)))],
    ['/v1/images/generations', away('images', json(images.generate))],
    ['/v1/images/edits', away('images', form(images.edit))],
    ['/v1/images/variations', away('images', form(images.vary))],
    ['/v1/audio/speech', away('speech', json(speechEndpoint(work)))],
    ['/v1/audio/transcriptions', away('transcription', form(listening.transcribe))],
    ['/v1/audio/translations', away('translation', form(listening.translate))],
    ['/v1/audio/voices', { method: 'GET', endpoint: listVoices }],
    ['/v1/models', { method: 'GET', endpoint: modelsEndpoint(upstream) }],
    ['/healthz', { method: 'GET', open: true, endpoint: async () => ({ json: { status: 'ok' } }) }],
  ])
  const find = (path: string) => (path.startsWith('/files/') ? toFile(links, path) : routes.get(path))
  return { find, list: [...routes].map(([path, { method }]) => `${method} ${path}`) }
}

function json(endpoint: Endpoint): Route {
  return { method: 'POST', takes: 'application/json', endpoint }
}

function form(endpoint: Endpoint): Route {
  return { method: 'POST', takes: 'multipart/form-data', endpoint }
}

// No key: the address cannot be guessed, and it expires.
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
