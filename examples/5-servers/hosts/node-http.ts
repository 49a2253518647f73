// node:http: a listener for the server of Node.
import { createServer, type Server } from 'node:http'
import type { AgentHandler } from '@capstan/http'
import { toNodeListener } from '@capstan/http/node'

// #region host
export function nodeServer(handler: AgentHandler) {
  return createServer(toNodeListener(handler))
}
// #endregion

// #region stop
export function stopOnSignal(server: Server, handler: AgentHandler) {
  process.once('SIGTERM', async () => {
    server.close()
    const { finished, handedOver } = await handler.close({ withinMs: 10_000 })
    console.log(`${finished} runs finished, ${handedOver} continue in another process`)
  })
}
// #endregion
