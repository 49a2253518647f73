// Fastify: a plugin that leaves bodies unread, so that the handler limits and reads them.
import type { AgentHandler } from '@capstan/http'
import { getRequestListener } from '@hono/node-server'
import Fastify, { type FastifyPluginCallback } from 'fastify'

// #region host
export function fastifyApp(handler: AgentHandler) {
  const app = Fastify()
  app.register(agentRoutes(handler))
  return app
}

function agentRoutes(handler: AgentHandler): FastifyPluginCallback {
  const listener = getRequestListener(handler)
  return (routes, _options, done) => {
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('*', (_request, _body, parsed) => parsed(null))
    routes.all('/agent/*', (request, reply) => {
      reply.hijack()
      return listener(request.raw, reply.raw)
    })
    done()
  }
}
// #endregion
