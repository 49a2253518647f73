// A handoff: another agent goes on with the conversation, with its own instructions and tools.
import { Agent, chatModel, handoff, tool } from '@capstan/core'
import { startService } from '@capstan/service'
import * as z from 'zod'

const invoice = tool({
  name: 'get_invoice',
  description: 'The invoice of a customer',
  parameters: z.object({ customer: z.string().describe('Name of the customer') }),
  effects: 'read',
  execute: ({ customer }) => ({ customer, amount: 42, due: '2026-12-01' }),
})

async function main(): Promise<void> {
  const service = await startService()
  const model = chatModel('planner', service)
  const billing = new Agent({ name: 'billing', model, instructions: 'You are billing.', tools: [invoice] })
  const desk = new Agent({
    name: 'desk',
    model,
    instructions: 'You are the front desk.',
    tools: [handoff(billing, { description: 'Billing, which gets invoices' })],
  })
  const run = desk.stream('I need billing: get the invoice of the customer Ada Lovelace.')
  run.on('handed-off', ({ to }) => console.log(`${to} goes on`))
  const { text, state } = await run.result
  console.log(`${state.agent}: ${text}`)
  await service.close()
}

main()
