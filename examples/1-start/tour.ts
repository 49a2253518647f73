// The snippets of the README: one agent, streamed, typed, approved and continued.
import '../local-service.js' // Serves 'planner' locally. Delete it to use your model.
import { Agent, type Decision, memorySessions, tool } from '@capstan/core'
import * as z from 'zod'

const model = process.env.CAPSTAN_MODEL ?? 'gpt-5-mini'
const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, conditions: 'light snow', degrees: -2 }),
})
const agent = new Agent({ model, tools: [weather] })

// #region stream
const run = agent.stream('What is the weather in Oslo?')
for await (const text of run.textStream) process.stdout.write(text)
const { usage } = await run.result
// #endregion
console.log(`\n${usage.requests} requests`)

// #region output
const booking = z.object({ guest: z.string(), nights: z.int() })
const clerk = new Agent({ model, output: booking })
const { output } = (await clerk.run('Ada Lovelace stays 3 nights.')).orThrow()
console.log(output.guest, output.nights) // string, number
// #endregion

// #region approval
const cancel = tool({
  name: 'cancel_booking',
  description: 'Cancels a booking',
  parameters: z.object({ id: z.string() }),
  needsApproval: true,
  execute: ({ id }) => `${id} is cancelled`,
})
const desk = new Agent({ model, tools: [cancel] })
const { state, pending = [] } = await desk.run('Cancel booking B-17.')
const decisions: Record<string, Decision> = {}
for (const { callId, name, arguments: args } of pending) {
  console.log('Approved:', name, args)
  decisions[callId] = { type: 'approve' } // or { type: 'deny', reason }
}
const done = await desk.run(state, { decisions })
console.log(done.text)
// #endregion

// #region session
const session = { store: memorySessions(), id: 'ada' }
await agent.run('What is the weather in Oslo?', { session })
const { text } = await agent.run('And in Rome?', { session })
console.log(text)
// #endregion
