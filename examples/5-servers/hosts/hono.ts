// Hono uses web standards: the same lines work on Node, Bun, Deno and workers.
import type { AgentHandler } from '@capstan/http'
import { Hono } from 'hono'

// #region host
export function honoApp(handler: AgentHandler) {
  const app = new Hono()
  app.all('/agent/*', (c) => handler(c.req.raw))
  return app
}
// #endregion
