// Fastify: a route of an app.
import type { AgentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'
import Fastify from 'fastify'

// #region host
export function fastifyApp(handler: AgentHandler) {
  const app = Fastify({ requestTimeout: 60_000 })
  app.all('/agent/*', toNodeListener(handler))
  return app
}
// #endregion
