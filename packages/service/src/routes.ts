import { chat } from './endpoints/chat.js'
import type { ImageLinks } from './endpoints/image-links.js'
import { imageEndpoints } from './endpoints/images.js'
import { transcribe, translate } from './endpoints/listening.js'
import { listModels } from './endpoints/models.js'
import { speak } from './endpoints/speech.js'
import type { Endpoint } from './http/endpoint.js'
import type { Route, Routes } from './http/route.js'
import { ServiceError } from './http/service-error.js'

/** The endpoints of the service by their paths, with the pictures that `links` holds. */
export function toRoutes(links: ImageLinks): Routes {
  const images = imageEndpoints(links)
  const routes = new Map<string, Route>([
    ['/v1/chat/completions', json(chat)],
    ['/v1/images/generations', json(images.generate)],
    ['/v1/images/edits', form(images.edit)],
    ['/v1/images/variations', form(images.vary)],
    ['/v1/audio/speech', json(speak)],
    ['/v1/audio/transcriptions', form(transcribe)],
    ['/v1/audio/translations', form(translate)],
    ['/v1/models', { method: 'GET', endpoint: listModels }],
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

// No key: the address itself cannot be guessed, and it expires.
function toFile(links: ImageLinks, path: string): Route {
  const endpoint: Endpoint = async () => {
    const bytes = links.get(path)
    if (!bytes)
      throw new ServiceError(
        404,
        'not_found',
        'This picture is not here any more, or never was: make it again.',
      )
    return { bytes, mediaType: 'image/png' }
  }
  return { method: 'GET', open: true, endpoint }
}
