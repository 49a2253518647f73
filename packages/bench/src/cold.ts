// A fresh program: its peer, ten tools, one answer. cold.js PEER SCENARIO ORIGIN prints a Measure.
import { promptOf, wordsOf } from './conversation.js'
import type { Measure } from './measure.js'
import { prepare } from './prepare.js'
import { scenarioOf } from './scenarios.js'

const [name = '', scenarioName = '', origin = ''] = process.argv.slice(2)
const scenario = scenarioOf(scenarioName)
const run = await prepare(name, { scenario, origin, ran() {} })
const id = `${process.pid}-0`
const words = await run(promptOf(id))
const { user, system } = process.cpuUsage()
const isRight = words === wordsOf(id, scenario).join('')
const measure: Measure = { cpuMs: (user + system) / 1000, ran: 0, wrong: isRight ? 0 : 1 }
process.stdout.write(`${JSON.stringify(measure)}\n`)
process.exit()
