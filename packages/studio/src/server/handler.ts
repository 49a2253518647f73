import type { FetchHandler } from '@capstan/http/node'
import { HttpError, methodNotAllowed, toErrorResponse } from '@capstan/http/parts'
import type { Access } from './access.js'
import { checkChange, checkHost, checkOrigin, checkSite, type OwnHost, withSafeHeaders } from './guard.js'
import { staticFile } from './static-files.js'

export interface HandlerParts {
  readonly host: OwnHost
  readonly access: Access
  /** The folder that contains the built page. */
  readonly page: string
  /** Handles requests to `/api/...` that have passed all checks. */
  api(request: Request): Promise<Response>
  /** Called with unexpected errors, which are bugs in the studio. */
  onError(error: unknown): void
}

/** Returns the handler for all requests to the studio. All checks run before a body is read. */
export function studioHandler(parts: HandlerParts): FetchHandler {
  return async (request) => withSafeHeaders(await respond(request, parts).catch(toResponse))
  function toResponse(error: unknown): Response {
    if (error instanceof HttpError) return toErrorResponse(error)
    parts.onError(error)
    return toErrorResponse(
      new HttpError(
        500,
        'internal',
        'An unexpected error occurred in the studio. See its terminal for details.',
      ),
    )
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
  // A link on another site may open the page. An image or script there could only be an attempt to guess the token.
  if (request.headers.get('sec-fetch-dest') !== 'document') checkSite(request)
  return access.enter(token)
}
