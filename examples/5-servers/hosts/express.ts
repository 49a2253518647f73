// Express 5: beside the routes of an app, before or after its body parsers.
import type { AgentHandler } from '@capstan/http'
import { getRequestListener } from '@hono/node-server'
import express, { type RequestHandler } from 'express'

// #region host
export function expressApp(handler: AgentHandler) {
  const app = express()
  app.all('/agent/*route', getRequestListener(handler))
  app.use(express.json())
  return app
}
// #endregion

// #region parsed
export function expressAppThatParses(handler: AgentHandler) {
  const app = express()
  app.use(express.json())
  app.all('/agent/*route', unparsed, getRequestListener(handler))
  return app
}

/** Returns a parsed body as bytes again, for the listener. */
const unparsed: RequestHandler = (request, _response, next) => {
  if (request.body !== undefined)
    Object.assign(request, { rawBody: Buffer.from(JSON.stringify(request.body)) })
  next()
}
// #endregion
