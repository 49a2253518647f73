// Serves the agent on this machine.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { toNodeListener } from '@capstan/http/node'
import { serveAgent } from './handler.js'
import { openModelServer } from './model-server.js'

await openModelServer()
const key = process.env.AGENT_KEY ?? randomUUID()
const port = Number(process.env.PORT ?? 3000)
createServer(toNodeListener(serveAgent(key))).listen(port, '127.0.0.1', () => {
  console.log(`curl http://127.0.0.1:${port}/v1/chat/completions \\
  -H 'authorization: Bearer ${key}' -H 'content-type: application/json' \\
  -d '{"model":"forecaster","messages":[{"role":"user","content":"What is the weather in Oslo?"}]}'`)
})
