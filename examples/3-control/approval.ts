// Approvals: the run stops as plain JSON, and resumes with the decision, here or in another process.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, type RunState, tool } from '@capstan/core'
import * as z from 'zod'

const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking for good',
  needsApproval: true,
  parameters: z.object({ booking: z.string().describe('Number of the booking') }),
  execute: ({ booking }) => ({ booking, cancelled: true }),
})

const lookUpGuest = tool({
  name: 'look_up_guest',
  description: 'Looks up a guest',
  parameters: z.object({ guest: z.string().describe('Name of the guest') }),
  effects: 'read',
  execute: ({ guest }) => ({ guest, booking: 'B-17', nights: 2 }),
})

const agent = new Agent({ model: 'planner', tools: [lookUpGuest, cancelBooking] })
const asked = await agent.run('Look up the guest Ada Lovelace, then cancel booking B-17.')
for (const call of asked.pending ?? []) console.log(asked.stopReason, call.name, call.arguments, call.reason)

const stored = JSON.stringify(asked.state)
const [call] = asked.pending ?? []
const decisions = call ? { [call.callId]: { type: 'approve' as const } } : {}
const done = await agent.run(JSON.parse(stored) as RunState, { decisions })
console.log(done.stopReason, done.text)
