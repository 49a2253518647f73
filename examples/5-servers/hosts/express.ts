// Express 5: a route of an app, before or after its body parsers.
import type { AgentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'
import express from 'express'

// #region host
export function expressApp(handler: AgentHandler) {
  const app = express()
  app.use('/agent', toNodeListener(handler))
  app.use(express.json())
  return app
}
// #endregion

// #region parsed
export function expressAppThatParses(handler: AgentHandler) {
  const app = express()
  app.use(express.json())
  app.all('/agent/*path', toNodeListener(handler))
  return app
}
// #endregion
