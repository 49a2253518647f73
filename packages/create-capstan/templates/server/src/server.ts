// Serves the agent on this machine. Without OPENAI_API_KEY the local service replies: it plans by rules.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { toNodeListener } from '@capstan/http/node'
import { startService } from '@capstan/service'
import { serveAgent } from './handler.js'

if (!process.env.OPENAI_API_KEY) {
  const { baseURL, apiKey } = await startService()
  Object.assign(process.env, { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey })
}
const key = process.env.AGENT_KEY ?? randomUUID()
const port = Number(process.env.PORT ?? 3000)
createServer(toNodeListener(serveAgent(key))).listen(port, '127.0.0.1', () => {
  console.log(`curl http://127.0.0.1:${port}/v1/chat/completions \\
  -H 'authorization: Bearer ${key}' -H 'content-type: application/json' \\
  -d '{"model":"forecaster","messages":[{"role":"user","content":"What is the weather in Oslo?"}]}'`)
})
