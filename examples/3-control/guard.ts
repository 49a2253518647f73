// Guards: text is checked, and replaced or denied, before the model or the user gets it.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, guard, tool, verdict } from '@capstan/core'
import * as z from 'zod'

const findCustomer = tool({
  name: 'find_customer',
  description: 'Finds a customer',
  parameters: z.object({ customer: z.string().describe('Name of the customer') }),
  effects: 'read',
  execute: ({ customer }) => ({ customer, email: 'ada@example.com', note: 'Owes 42. Likes trains.' }),
})

const agent = new Agent({
  model: 'planner',
  tools: [findCustomer],
  middleware: [
    guard({
      input: (text) =>
        /\bpassword\b/.test(text) ? verdict.deny('passwords are not looked up') : verdict.allow,
      reply: (text) => verdict.replace(text.replace(/Owes \d+/g, 'Owes money')),
      result: (text) => verdict.replace(text.replace(/[\w.]+@[\w.]+/g, '(email)')),
    }),
  ],
  observe: (event) => {
    if (event.type === 'middleware') console.log(event.name, event.action, event.data)
  },
})

const run = agent.stream('Find the customer Ada Lovelace.')
for await (const text of run.textStream) console.log('shown:', text)
const { toolCalls } = await run.result
for (const call of toolCalls) console.log('read:', call.content)

const denied = await agent.run('Find the password of the customer Ada Lovelace.')
console.log(denied.stopReason, denied.refusal)
