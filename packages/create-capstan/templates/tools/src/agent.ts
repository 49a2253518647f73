import { Agent, tool } from '@capstan/core'
import * as z from 'zod'

const orders = new Map([
  [7, 'paid'],
  [8, 'shipped'],
])

export const findOrder = tool({
  name: 'find_order',
  description: 'Finds an order by its number',
  parameters: z.object({ order: z.int().describe('Number of the order') }),
  effects: 'read',
  execute: ({ order }) => ({ order, status: orders.get(order) ?? 'unknown' }),
})

export const cancelOrder = tool({
  name: 'cancel_order',
  description: 'Cancels an order that is not shipped yet',
  parameters: z.object({ order: z.int().describe('Number of the order') }),
  execute({ order }) {
    const status = orders.get(order)
    // The model reads the message of the error.
    if (status !== 'paid') throw new Error(`Order ${order} is ${status ?? 'unknown'}.`)
    orders.set(order, 'cancelled')
    return { order, status: 'cancelled' }
  },
})

export const agent = new Agent({
  name: 'shop',
  model: process.env.CAPSTAN_MODEL ?? 'gpt-5-mini',
  instructions: 'You answer customers of a shop. Find an order before you cancel it.',
  tools: [findOrder, cancelOrder],
})
