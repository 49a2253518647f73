// A handoff: another agent continues the conversation, with its own instructions and tools.
import '../local-service.js'
import { Agent, handoff } from '@capstan/core'
import { invoice } from '../tools.js'

const model = 'planner'
const billing = new Agent({ name: 'billing', model, instructions: 'You are billing.', tools: [invoice] })
const desk = new Agent({
  name: 'desk',
  model,
  instructions: 'You are the front desk.',
  tools: [handoff(billing, { description: 'Billing, which gets invoices' })],
})
const run = desk.stream('I need billing: get the invoice of the customer Ada Lovelace.')
run.on('handed-off', ({ to }) => console.log(`${to} continues`))
const { text, state } = await run.result
console.log(`${state.agent}: ${text}`)
