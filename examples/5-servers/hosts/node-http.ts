// node:http: a listener that converts its requests and responses to web standards.
import { createServer } from 'node:http'
import type { AgentHandler } from '@capstan/http'
import { getRequestListener } from '@hono/node-server'

// #region host
export function nodeServer(handler: AgentHandler) {
  return createServer(getRequestListener(handler))
}
// #endregion
