// A handoff: another agent continues the conversation, with its own instructions and tools.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, handoff } from '@capstan/core'
import { invoice } from '../tools.js'

const model = 'planner'
const billing = new Agent({ name: 'billing', model, instructions: 'You are billing.', tools: [invoice] })
const desk = new Agent({
  name: 'desk',
  model,
  instructions: 'You are the front desk.',
  tools: [
    handoff(billing, {
      description: 'Billing, which gets invoices',
      onHandoff: ({ runId }) => console.log(`run ${runId} goes to billing`),
      // Billing gets the user messages, but not the front desk's calls.
      filterHistory: (messages) => messages.filter(({ role }) => role === 'user'),
    }),
  ],
})
const { text, lastAgent } = await desk.run('I need billing: get the invoice of the customer Ada Lovelace.', {
  runId: '17',
})
console.log(`${lastAgent}: ${text}`)
