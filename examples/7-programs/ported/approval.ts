// A call that needs approval; the rest is streamed.
import '../../local-service.js'
import { Agent, type RunState, tool } from '@capstan/core'
import * as z from 'zod'

const cancelOrder = tool({
  name: 'cancel_order',
  description: 'Cancels an order for good',
  parameters: z.object({ order: z.int() }),
  needsApproval: true,
  execute: ({ order }) => ({ order, cancelled: true }),
})

const agent = new Agent({ model: 'planner', tools: [cancelOrder] })

export async function approval(log: (line: string) => void): Promise<void> {
  const { pending = [], state } = await agent.run('Cancel order 7.')
  const stored = JSON.stringify(state)

  // Later, perhaps in another process.
  const decisions: Record<string, { type: 'approve' }> = {}
  for (const { callId, name, arguments: given } of pending) {
    log(`approve ${name} ${JSON.stringify(given)}`)
    decisions[callId] = { type: 'approve' }
  }
  const run = agent.stream(JSON.parse(stored) as RunState, { decisions })
  let text = ''
  for await (const event of run) {
    if (event.type === 'tool-end') log(`${event.name} ${event.content}`)
    if (event.type === 'text-delta') text += event.text
  }
  log(text)
}
