// Streams a run to the terminal: text as it arrives, and tool calls while the model writes them.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const countWords = tool({
  name: 'count_words',
  description: 'Counts the words of a text',
  parameters: z.object({ text: z.string().describe('The text to count') }),
  execute: ({ text }) => ({ words: text.split(/\s+/).length }),
})

const agent = new Agent({ model: 'planner', tools: [countWords] })
const run = agent.stream('Count the words of "run every call as it was made".')
for await (const event of run) {
  if (event.type === 'call-delta') process.stdout.write(event.arguments)
  if (event.type === 'tool-end') process.stdout.write(` -> ${event.content}\n`)
  if (event.type === 'text-delta') process.stdout.write(event.text)
}
const { stopReason, usage } = await run.result
console.log(`\n(${stopReason} after ${usage.requests} requests)`)
