// A typed tool: the schema types the arguments, and the tool's name types its results.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const stock = tool({
  name: 'get_stock',
  description: 'How many pieces of an article are in a warehouse',
  parameters: z.object({
    article: z.string().describe('Name of the article'),
    warehouse: z.enum(['north', 'south']).default('north').describe('Which warehouse'),
  }),
  execute: ({ article, warehouse }) => ({ article, warehouse, pieces: article.length * 7 }),
})

const agent = new Agent({ model: 'planner', tools: [stock] })
const { text, toolCalls } = await agent.run(
  'How many pieces of the article "lamp" are in the south warehouse?',
)
console.log(text)
for (const call of toolCalls) {
  if (!call.dynamic && call.status === 'ok')
    console.log(`${call.result.pieces} pieces of ${call.arguments.article}`)
}

// The same tool is a plain typed function.
console.log(await stock.call({ article: 'chair' }))
