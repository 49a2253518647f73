// Steering: the model gets messages that you send during a run before its next reply.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent } from '@capstan/core'
import { weather } from '../tools.js'

const agent = new Agent({ model: 'planner', tools: [weather] })
const run = agent.stream('What is the weather in Oslo?')
for await (const event of run) {
  if (event.type === 'tool-end' && event.step === 0) run.send('What is the weather in Rome?')
  if (event.type === 'tool-start') console.log('asked for', event.arguments)
  if (event.type === 'message-delivered') console.log(`delivered before step ${event.step}: ${event.text}`)
  if (event.type === 'text-delta') process.stdout.write(event.text)
}
const { undelivered = [] } = await run.result
console.log(`\n${undelivered.length} came too late`)
