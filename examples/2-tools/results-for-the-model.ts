// Results for the model and for your program: the model gets `toModel`, and `output` checks and types the result.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const sales = tool({
  name: 'get_sales',
  description: ({ year }: { year: number }) => `The sales of the shop in a city in ${year}`,
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  output: z.object({ city: z.string(), months: z.array(z.number()) }),
  execute: ({ city }) => ({ city, months: [100, 200, 300] }),
  toModel: ({ city, months }) => ({ city, total: months.reduce((all, one) => all + one, 0) }),
})

const agent = new Agent({ model: 'planner', tools: [sales] })
const { text, toolCalls } = await agent.run('What are the sales in Oslo?', { context: { year: 2026 } })
console.log(text)
for (const call of toolCalls) if (!call.dynamic && call.status === 'ok') console.log(call.result.months)
