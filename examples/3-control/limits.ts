// Limits: at a limit the run starts no more calls, and the model gives its best answer from what it knows.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'
import { weather } from '../tools.js'

const agent = new Agent({
  model: 'planner',
  tools: [weather],
  limits: { toolCalls: 2, seconds: 60 },
})
const result = await agent.run('What is the weather in Oslo, in Rome and in Lisbon?')
console.log(result.stopReason, result.limit)
for (const { status, content } of result.toolCalls) console.log(status, content)
console.log(result.text)
