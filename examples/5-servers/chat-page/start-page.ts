// The page and its agent on one server of this machine. A cookie signs in every visitor of the page.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AnyAgent } from '@capstan/core'
import { agentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'

export async function startPage(agent: AnyAgent): Promise<{ origin: string; close(): Promise<void> }> {
  // #region handler
  const token = randomBytes(32).toString('base64url')
  const handler = agentHandler(agent, {
    basePath: '/agent',
    authenticate: (request) => (hasCookie(request, token) ? { id: 'visitor' } : undefined),
    // A reloaded page continues to read its reply.
    onDisconnect: 'finish',
  })
  // #endregion
  const answer = (request: Request): Response | Promise<Response> => {
    const { hostname, pathname } = new URL(request.url)
    // Rejects other host names: DNS rebinding can point them at this machine.
    if (hostname !== '127.0.0.1' && hostname !== 'localhost') return new Response(null, { status: 421 })
    if (pathname.startsWith('/agent/')) return handler(request)
    return pageFile(request, token)
  }
  const server = createServer(toNodeListener(answer))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      await handler.close()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

const files: Readonly<Record<string, readonly [file: string, mediaType: string]>> = {
  '/': ['index.html', 'text/html'],
  '/style.css': ['style.css', 'text/css'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
  '/chat.js': ['chat.js', 'text/javascript'],
  '/message.js': ['message.js', 'text/javascript'],
  '/read-parts.js': ['read-parts.js', 'text/javascript'],
  '/show-message.js': ['show-message.js', 'text/javascript'],
}

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    ...['script-src', 'style-src', 'img-src', 'media-src', 'connect-src'].map((what) => `${what} 'self'`),
    ...['base-uri', 'form-action', 'frame-ancestors'].map((what) => `${what} 'none'`),
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

function pageFile({ method, url }: Request, token: string): Response {
  const { pathname } = new URL(url)
  const found = Object.hasOwn(files, pathname) ? files[pathname] : undefined
  if (!found || method !== 'GET') return new Response('There is no such page.', { status: 404, headers })
  const [file, mediaType] = found
  const cookie = `${cookieName(url)}=${token}; Path=/; HttpOnly; SameSite=Strict`
  return new Response(readFileSync(new URL(`page/${file}`, import.meta.url)), {
    headers: {
      ...headers,
      'content-type': `${mediaType}; charset=utf-8`,
      ...(pathname === '/' ? { 'set-cookie': cookie } : {}),
    },
  })
}

function hasCookie({ headers, url }: Request, token: string): boolean {
  const cookies = headers.get('cookie')?.split('; ') ?? []
  return cookies.includes(`${cookieName(url)}=${token}`)
}

/** Browsers keep cookies by host, without the port: two servers of one machine need different names. */
function cookieName(url: string): string {
  return `chat-${new URL(url).port}`
}
