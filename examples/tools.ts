// Tools for examples about something else.
import { tool } from '@capstan/core'
import * as z from 'zod'

export const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string().describe('Name of the city') }),
  effects: 'read',
  execute: ({ city }) => ({ city, degrees: city.length }),
})

export const invoice = tool({
  name: 'get_invoice',
  description: 'The invoice of a customer',
  parameters: z.object({ customer: z.string().describe('Name of the customer') }),
  effects: 'read',
  execute: ({ customer }) => ({ customer, amount: 42, due: '2026-12-01' }),
})

export const cancelBooking = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking for good',
  parameters: z.object({ booking: z.string().describe('Number of the booking') }),
  needsApproval: true,
  execute: ({ booking }) => ({ booking, cancelled: true }),
})
