// A conversation over several runs: the session keeps every message, and each request contains what fits.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, memorySessions, trimHistory } from '@capstan/core'
import { weather } from '../tools.js'

const session = { store: memorySessions(), id: 'ada' }
const agent = new Agent({
  model: 'planner',
  tools: [weather],
  middleware: [trimHistory({ maxMessages: 6 })],
  observe: (event) => {
    if (event.type === 'context-trimmed')
      console.log(`  (${event.after} of ${event.before} messages are shown)`)
  },
})
for (const city of ['Oslo', 'Rome', 'Lisbon']) {
  const { text } = await agent.run(`What is the weather in ${city}?`, { session })
  console.log(text)
}
const { messages, version } = await session.store.load('ada')
console.log(`${messages.length} messages are kept, version ${version}`)
