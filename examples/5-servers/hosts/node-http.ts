// node:http: the listener that turns its requests into those of web standards, and answers back.
import { createServer } from 'node:http'
import type { AgentHandler } from '@capstan/http'
import { getRequestListener } from '@hono/node-server'

// #region host
export function nodeServer(handler: AgentHandler) {
  return createServer(getRequestListener(handler))
}
// #endregion
