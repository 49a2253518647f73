// Middleware: failed calls are retried, and results are cached for later runs.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, CapstanError, cacheTools, retryTools, tool } from '@capstan/core'
import * as z from 'zod'

let requests = 0
const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute({ city }) {
    requests += 1
    if (requests === 1) throw new CapstanError('network', 'The weather station does not respond.')
    return { city, degrees: 4 }
  },
})

const agent = new Agent({
  model: 'planner',
  tools: [weather],
  // The weather is the same for all users. Without `key` each run has its own cache.
  middleware: [cacheTools({ ttlMs: 60_000, key: () => 'all' }), retryTools({ times: 3, delayMs: 100 })],
  observe(event) {
    if (event.type === 'middleware') console.log(event.name, event.action, JSON.stringify(event.data ?? {}))
  },
})
for (const city of ['Oslo', 'Rome', 'Oslo'])
  console.log((await agent.run(`What is the weather in ${city}?`)).text)
console.log(`requests to the weather station: ${requests}`)
