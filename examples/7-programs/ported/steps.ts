// Tools, and what each step did and used.
import '../../local-service.js'
import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number',
  parameters: z.object({ order: z.int() }),
  effects: 'read',
  execute: ({ order }) => ({ order, status: 'paid' }),
})

const agent = new Agent({
  model: 'planner',
  instructions: 'You answer customers of a shop.',
  tools: [findOrder],
  limits: { steps: 5 },
})

export async function steps(log: (line: string) => void): Promise<void> {
  const { steps, text, usage } = await agent.run('Find order 7.')
  for (const { toolCalls, usage } of steps) {
    const names = toolCalls.map(({ name }) => name).join(', ') || 'no calls'
    log(`${names}, tokens counted: ${usage.totalTokens > 0}`)
  }
  log(`${steps.length} steps, all tokens counted: ${usage.totalTokens > 0}`)
  log(text)
}
