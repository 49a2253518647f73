// Rate limits: a request that gets 429 waits as long as the server asks, and a second model takes over if that is too long.
import { Agent, chatModel, fallback } from '@capstan/core'
import { startService } from '@capstan/service'
import { weather } from '../tools.js'

// A server that rejects its first two requests with 429 and `Retry-After: 1`.
const busy = await startService({ chaos: [{ quirk: 'rate-limit', times: 2 }] })
const spare = await startService()

// #region agent
const first = chatModel('planner', { ...busy, maxRetries: 1, maxInFlight: 8 })
const second = { ...chatModel('planner', spare), name: 'spare' }
const agent = new Agent({
  model: fallback([first, second]),
  tools: [weather],
  observe(event) {
    if (event.type === 'retry-scheduled')
      console.log(event.code, event.model ? `asks ${event.model}` : `waits ${event.delayMs} ms`)
  },
})
const { steps, text } = await agent.run('What is the weather in Oslo?')
console.log(steps.map(({ model }) => model).join(', '))
console.log(text)
// #endregion

await busy.close()
await spare.close()
