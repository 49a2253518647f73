import { Agent, type ChatModel, tool } from '@capstan/core'
import * as z from 'zod'

export const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking for good',
  parameters: z.object({ booking: z.string().describe('Number of the booking, such as B-17') }),
  needsApproval: true,
  // The key is the same in every attempt: a server that knows it cancels once.
  execute: ({ booking }, { idempotencyKey }) => ({ booking, cancelled: true, key: idempotencyKey }),
})

/** A durable run takes its model from its agent: the test makes one with a scripted model. */
export function createAgent(model: string | ChatModel) {
  return new Agent({
    name: 'desk',
    model,
    instructions: 'You look after the bookings of a hotel.',
    tools: [cancelBooking],
  })
}

export const agent = createAgent(process.env.CAPSTAN_MODEL ?? 'gpt-5-mini')
