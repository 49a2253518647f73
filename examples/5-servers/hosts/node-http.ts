// node:http: a listener for the server of Node.
import { createServer } from 'node:http'
import type { AgentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'

// #region host
export function nodeServer(handler: AgentHandler) {
  return createServer(toNodeListener(handler))
}
// #endregion
