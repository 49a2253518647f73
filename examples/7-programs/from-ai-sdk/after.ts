// The same program with Capstan.
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

const cancelOrder = tool({
  name: 'cancel_order',
  description: 'Cancels an order for good',
  parameters: z.object({ order: z.int() }),
  needsApproval: true,
  execute: ({ order }) => ({ order, cancelled: true }),
})

const agent = new Agent({
  model: 'planner',
  instructions: 'You answer customers of a shop.',
  tools: [findOrder, cancelOrder],
  limits: { steps: 5 },
})

const reporter = new Agent({
  model: 'planner',
  output: z.object({ order: z.int(), cancelled: z.boolean() }),
})

export async function after(log: (line: string) => void): Promise<void> {
  // The run stops at the call that needs approval.
  const asked = await agent.run('Find order 7, then cancel order 7.')
  const decisions: Record<string, { type: 'approve' }> = {}
  for (const call of asked.pending ?? []) {
    log(`approve ${call.name} ${JSON.stringify(call.arguments)}`)
    decisions[call.callId] = { type: 'approve' }
  }

  // It resumes from its state, streamed.
  const run = agent.stream(asked.state, { decisions })
  let text = ''
  for await (const event of run) {
    if (event.type === 'tool-end') log(`${event.name} ${event.content}`)
    if (event.type === 'text-delta') text += event.text
  }
  log(text)
  const { messages } = await run.result

  // A typed value.
  const report = await reporter.run([
    ...messages,
    { role: 'user', content: 'Report order 7 as cancelled: true.' },
  ])
  log(`order ${report.output?.order}, cancelled ${report.output?.cancelled}`)
}
