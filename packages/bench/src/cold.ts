// A fresh program: its peer, ten tools, one answer. cold.js PEER SCENARIO ORIGIN prints a Measure.
import { instructions, promptOf, toolsOf, wordsOf } from './conversation.js'
import type { Measure } from './measure.js'
import type { Peer } from './peer.js'
import { scenarioOf } from './scenarios.js'

const [name = '', scenarioName = '', origin = ''] = process.argv.slice(2)
const scenario = scenarioOf(scenarioName)
const { peer } = (await import(`./peers/${name}.js`)) as { peer: Peer }
const tools = toolsOf(scenario, () => {})
const run = await peer.prepare({
  baseURL: `${origin}/${scenario.name}/v1`,
  model: 'bench',
  instructions,
  tools,
  stream: scenario.stream,
  maxSteps: 2,
})
const id = `${process.pid}-0`
const words = await run(promptOf(id))
const { user, system } = process.cpuUsage()
const isRight = words === wordsOf(id, scenario).join('')
const measure: Measure = { cpuMs: (user + system) / 1000, ran: 0, wrong: isRight ? 0 : 1 }
process.stdout.write(`${JSON.stringify(measure)}\n`)
process.exit()
