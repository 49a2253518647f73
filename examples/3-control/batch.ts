// Many inputs: three runs at a time, and one result for each input. If a run fails, the others continue.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, CapstanError } from '@capstan/core'
import { weather } from '../tools.js'

const agent = new Agent({ model: 'planner', tools: [weather] })
const inputs = [
  'What is the weather in Oslo?',
  '',
  'What is the weather in Rome?',
  'What is the weather in Lisbon?',
]

const lines: string[] = []
const queue = inputs.entries()
async function work() {
  // All workers share one iterator, so each input is used once.
  for (const [at, input] of queue)
    try {
      const { stopReason, text } = await agent.run(input, { limits: { steps: 5, seconds: 60 } })
      lines[at] = `${stopReason}: ${text}`
    } catch (error) {
      lines[at] = error instanceof CapstanError ? `failed: ${error.code}` : `failed: ${error}`
    }
}
await Promise.all([work(), work(), work()])
console.log(lines.join('\n'))
