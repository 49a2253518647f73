import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { onTestFinished } from 'vitest'

/** A handler behind a real socket, until the test is finished. */
export async function serveHttp(
  fetch: (request: Request) => Response | Promise<Response>,
): Promise<{ readonly url: string; connections(): Promise<number> }> {
  const server = createServer(getRequestListener(fetch, { overrideGlobalObjects: false }))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  return { url: `http://127.0.0.1:${port}/mcp`, connections }
}
