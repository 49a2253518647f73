// A typed tool: arguments follow from the schema, results are typed by the tool's name.
import { Agent, chatModel, tool } from '@capstan/core'
import { startService } from '@capstan/service'
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

async function main(): Promise<void> {
  const service = await startService()
  const agent = new Agent({ model: chatModel('planner', service), tools: [stock] })
  const { text, toolCalls } = await agent.run(
    'How many pieces of the article "lamp" are in the south warehouse?',
  )
  console.log(text)
  for (const call of toolCalls) {
    if (!call.dynamic && call.status === 'ok')
      console.log(`${call.result.pieces} pieces of ${call.arguments.article}`)
  }
  await service.close()

  // The same tool is a plain typed function.
  console.log(await stock.call({ article: 'chair' }))
}

main()
