// The triage with Capstan.
import '../../local-service.js'
import { Agent, guard, handoff, tool, verdict } from '@capstan/core'
import * as z from 'zod'

interface SignedIn {
  readonly customer: string
}

const getInvoice = tool({
  name: 'get_invoice',
  description: 'Gets the latest invoice of the customer who is signed in',
  parameters: z.object({}),
  effects: 'read',
  execute: (_arguments, { context }: { context: SignedIn }) => ({ customer: context.customer, amount: 42 }),
})

const refund = tool({
  name: 'refund_order',
  description: 'Refunds an order',
  parameters: z.object({ order: z.int() }),
  execute: ({ order }) => ({ order, refunded: true }),
})

const billing = new Agent({
  name: 'billing',
  model: 'planner',
  instructions: 'You answer questions about invoices.',
  tools: [getInvoice],
})

const refunds = new Agent({
  name: 'refunds',
  model: 'planner',
  instructions: 'You refund orders.',
  tools: [refund],
})

const triage = new Agent({
  name: 'triage',
  model: 'planner',
  instructions: 'You decide who helps.',
  tools: [
    handoff(billing, { description: 'Billing, which gets invoices' }),
    handoff(refunds, { description: 'Refunds, which refunds orders' }),
  ],
  middleware: [
    guard({
      input: (text) => (/homework/i.test(text) ? verdict.deny('homework is not done here') : verdict.allow),
    }),
  ],
})

export async function triageRequests(log: (line: string) => void): Promise<void> {
  const context = { customer: 'Ada Lovelace' }
  for (const request of [
    'I need billing: get my latest invoice.',
    'I need refunds: refund order 7.',
    'Do my homework.',
  ]) {
    const { stopReason, lastAgent, text, refusal } = await triage.run(request, { context })
    log(stopReason === 'refusal' ? `refused: ${refusal}` : `${lastAgent}: ${text}`)
  }
}
