// Loads one peer in a fresh process, runs one conversation and prints a Measure: cold.js PEER SCENARIO ORIGIN

import type { Measure } from './peer.js'
import { prepare, promptOf, scenarioOf, textOf } from './scenarios.js'

const [name = '', scenarioName = '', origin = ''] = process.argv.slice(2)
const scenario = scenarioOf(scenarioName)
const run = await prepare(name, { scenario, origin, ran() {} })
const id = `${process.pid}-0`
const text = await run(promptOf(id))
const { user, system } = process.cpuUsage()
const isRight = text === textOf(id, scenario).join('')
const measure: Measure = { cpuMs: (user + system) / 1000, ran: 0, wrong: isRight ? 0 : 1 }
process.stdout.write(`${JSON.stringify(measure)}\n`)
process.exit()
