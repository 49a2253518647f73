// A server of each host, all for one agent.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AgentHandler } from '@capstan/http'
import { createAdaptorServer } from '@hono/node-server'
import { expressApp, expressAppThatParses } from './express.js'
import { fastifyApp } from './fastify.js'
import { honoApp } from './hono.js'
import { nodeServer } from './node-http.js'

export const hosts: Readonly<Record<string, (handler: AgentHandler) => Server | Promise<Server>>> = {
  'node:http': nodeServer,
  Express: (handler) => createServer(expressApp(handler)),
  'Express that parses': (handler) => createServer(expressAppThatParses(handler)),
  async Fastify(handler) {
    const app = fastifyApp(handler)
    await app.ready()
    return app.server
  },
  Hono: (handler) => createAdaptorServer(honoApp(handler)) as Server,
}

/** Starts on a free port of this machine. */
export async function startServer(server: Server): Promise<{ origin: string; close(): Promise<void> }> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
