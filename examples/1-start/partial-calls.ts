// Reads the arguments of a tool's calls as values while the model writes them.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, partialCalls, tool } from '@capstan/core'
import * as z from 'zod'

const countWords = tool({
  name: 'count_words',
  description: 'Counts the words of a text',
  parameters: z.object({ text: z.string().describe('The text to count') }),
  execute: ({ text }) => ({ words: text.split(/\s+/).length }),
})

const agent = new Agent({ model: 'planner', tools: [countWords] })
const run = agent.stream('Count the words of "a call runs once it is complete".')
for await (const { partial } of partialCalls(run, 'count_words')) if (partial.text) console.log(partial.text)
console.log((await run.result).text)
