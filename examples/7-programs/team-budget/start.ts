// A team with a budget: limits for all agents together, and what each of them has spent. With a file as its argument it
// records the first run: `npm run example team-budget task.jsonl`.
import '../../local-service.js'
import { recordRun } from '@capstan/testing/recording'
import { makeTeam } from './team.js'

const task =
  'Ask the researcher "Find a fact about Bergen" and ask the printer "Get the price of 20 copies", then let the publisher publish the article "Bergen".'

const [file] = process.argv.slice(2)
const { editor, spent } = makeTeam('planner')
const { toolCalls, stopReason, state, usage } = await editor.run(task, file ? recordRun(file) : {})
for (const { name, content } of toolCalls) console.log(`${name}: ${content}`)
console.log(`${stopReason}, by the ${state.agent}`)

const dollars = (cost: unknown) => (typeof cost === 'number' ? `$${cost.toFixed(6)}` : String(cost))
for (const [agent, { requests, cost }] of Object.entries(spent))
  console.log(`${agent}: ${requests} requests, ${dollars(cost)}`)
console.log(`together: ${usage.requests} requests, ${dollars(usage.cost)}`)

// With less money the run ends at the limit, with an answer from what is known.
const short = await editor.run(task, { limits: { cost: 0.002 } })
console.log(`${short.stopReason} ${short.limit}, ${dollars(short.usage.cost)} of $0.002 spent:`)
console.log(short.text)
