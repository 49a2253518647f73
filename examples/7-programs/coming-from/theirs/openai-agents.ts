// A triage with handoffs, a guardrail and a context, with @openai/agents 0.20.0. Run by hand: it is not installed here.
import {
  Agent,
  type InputGuardrail,
  InputGuardrailTripwireTriggered,
  type RunContext,
  run,
  setOpenAIAPI,
  tool,
} from '@openai/agents'
import * as z from 'zod'

setOpenAIAPI('chat_completions')
const model = 'planner'

interface SignedIn {
  customer: string
}

const getInvoice = tool({
  name: 'get_invoice',
  description: 'Gets the latest invoice of the customer who is signed in',
  parameters: z.object({}),
  execute: (_arguments, runContext?: RunContext<SignedIn>) => ({
    customer: runContext?.context.customer,
    amount: 42,
  }),
})

const refund = tool({
  name: 'refund_order',
  description: 'Refunds an order',
  parameters: z.object({ order: z.int() }),
  execute: ({ order }) => ({ order, refunded: true }),
})

const billing = new Agent<SignedIn>({
  name: 'billing',
  model,
  handoffDescription: 'Billing, which gets invoices',
  instructions: 'You answer questions about invoices.',
  tools: [getInvoice],
})

const refunds = new Agent<SignedIn>({
  name: 'refunds',
  model,
  handoffDescription: 'Refunds, which refunds orders',
  instructions: 'You refund orders.',
  tools: [refund],
})

const noHomework: InputGuardrail = {
  name: 'no homework',
  execute: async ({ input }) => ({
    tripwireTriggered: /homework/i.test(JSON.stringify(input)),
    outputInfo: 'homework is not done here',
  }),
}

const triage = Agent.create({
  name: 'triage',
  model,
  instructions: 'You decide who helps.',
  handoffs: [billing, refunds],
  inputGuardrails: [noHomework],
})

export async function triageRequests(log: (line: string) => void): Promise<void> {
  const context = { customer: 'Ada Lovelace' }
  for (const request of [
    'I need billing: get my latest invoice.',
    'I need refunds: refund order 7.',
    'Do my homework.',
  ]) {
    try {
      const { lastAgent, finalOutput } = await run(triage, request, { context })
      log(`${lastAgent?.name}: ${finalOutput}`)
    } catch (error) {
      if (!(error instanceof InputGuardrailTripwireTriggered)) throw error
      log(`refused: ${error.result.output.outputInfo}`)
    }
  }
}
