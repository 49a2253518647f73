// An agent as a tool of another one: a question goes down, the answer comes up, and so does a call that needs a yes.
import { Agent, chatModel, type RunState, tool } from '@capstan/core'
import { startService } from '@capstan/service'
import * as z from 'zod'

const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking for good',
  parameters: z.object({ booking: z.string().describe('Number of the booking') }),
  needsApproval: true,
  execute: ({ booking }) => ({ booking, cancelled: true }),
})

async function main(): Promise<void> {
  const service = await startService()
  const model = chatModel('planner', service)
  const frontDesk = new Agent({ name: 'front_desk', model, tools: [cancelBooking] })
  const manager = new Agent({
    name: 'manager',
    model,
    tools: [frontDesk.asTool({ description: 'Asks the front desk, which cancels bookings' })],
    limits: { toolCalls: 10 },
    observe: (event) => {
      const indent = event.parentCallId ? '  ' : ''
      if (event.type === 'tool-start') console.log(`${indent}${event.name}`, event.arguments)
    },
  })

  const asked = await manager.run('Ask the front desk: "Cancel booking B-17."')
  const [call] = asked.pending ?? []
  console.log(asked.stopReason, call?.agent, call?.name, call?.arguments)

  const stored = JSON.stringify(asked.state)
  const decisions = call ? { [call.callId]: { type: 'approve' as const } } : {}
  const done = await manager.run(JSON.parse(stored) as RunState, { decisions })
  console.log(done.text)
  console.log(`${done.usage.requests} requests, ${done.usage.toolCalls} calls`)
  await service.close()
}

main()
