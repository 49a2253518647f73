import type { FetchHandler } from '@capstan/http/node'
import { HttpError, methodNotAllowed, toErrorResponse } from '@capstan/http/parts'
import type { Access } from './access.js'
import { checkChange, checkHost, checkOrigin, checkSite, type OwnHost, withSafeHeaders } from './guard.js'
import { staticFile } from './static-files.js'

export interface HandlerParts {
  readonly host: OwnHost
  readonly access: Access
  /** The folder of the built page. */
  readonly page: string
  /** Responds to `/api/...` after all checks. */
  api(request: Request): Promise<Response>
  /** Receives errors that are bugs of the studio. */
  onError(error: unknown): void
}

/** Returns the handler for all requests to the studio. It checks each request before it reads the body. */
export function studioHandler(parts: HandlerParts): FetchHandler {
  return async (request) => withSafeHeaders(await respond(request, parts).catch(toResponse))
  function toResponse(error: unknown): Response {
    if (error instanceof HttpError) return toErrorResponse(error)
    parts.onError(error)
    return toErrorResponse(new HttpError(500, 'internal', 'The studio failed. Its terminal shows the error.'))
  }
}

async function respond(request: Request, { host, access, page, api }: HandlerParts): Promise<Response> {
  checkHost(request, host)
  checkOrigin(request)
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/api' || pathname.startsWith('/api/')) {
    checkSite(request)
    await access.check(request)
    checkChange(request)
    return api(request)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET, HEAD')
  const token = searchParams.get('token')
  if (pathname !== '/' || token === null) return staticFile(page, pathname)
  // A link may be on another site; an image or a script of one only guesses tokens.
  if (request.headers.get('sec-fetch-dest') !== 'document') checkSite(request)
  return access.enter(token)
}
