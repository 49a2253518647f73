// bench.js [--only PEER,...] [--scenarios NAME,...] [--rounds N] [--node FILE] [--save FOLDER]
// Prints a table of what each peer costs against a loop written by hand. Ends with 1 when ours, or that loop, could not
// hold a conversation.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toChart } from './chart.js'
import { perPiece, type Row, rowsOf } from './figures.js'
import { startServer } from './processes.js'
import { type Outcome, playRounds } from './rounds.js'
import { scenarioOf, scenarios } from './scenarios.js'
import { isOver, toTable } from './table.js'
import { weigh } from './weigh.js'

const allPeers = [
  'raw',
  'floor',
  'ours',
  'xsai',
  'openai-sdk',
  'run-tools',
  'ai',
  'openai-agents',
  'langchain',
]
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: allPeers.join(',') },
    scenarios: { type: 'string', default: scenarios.map(({ name }) => name).join(',') },
    rounds: { type: 'string', default: '11' },
    node: { type: 'string', default: process.execPath },
    save: { type: 'string' },
  },
})
const peers = [...new Set(['raw', ...values.only.split(',')])]
const unknown = peers.find((peer) => !allPeers.includes(peer))
if (unknown) throw new Error(`No peer "${unknown}". There are: ${allPeers.join(', ')}`)

const server = await startServer(values.node)
const site = { node: values.node, origin: server.origin }
const started = Date.now()
const outcomes: Outcome[] = []
for (const name of values.scenarios.split(',')) {
  process.stderr.write(`${name} ...\n`)
  outcomes.push(await playRounds(scenarioOf(name), { peers, count: Number(values.rounds) }, { server, site }))
}
server.close()

const rows: Row[] = [
  ...outcomes.flatMap(rowsOf),
  ...perPiece(outcomes, ['text-2000', 'text-20000']),
  ...perPiece(outcomes, ['args-2000', 'args-8000']),
  ...perPiece(outcomes, ['args-2000', 'args-20000']),
  ...(values.scenarios.includes('cold') ? [await weigh(peers)] : []),
]
const seconds = Math.round((Date.now() - started) / 1000)
const over = rows.filter(isOver).map(({ name }) => name)
const table = [
  toTable(rows, peers),
  '',
  `CPU against raw, in the median of ${values.rounds} rounds. Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}.`,
  over.length > 0 ? `Over the limit (!): ${over.join(', ')}.` : 'All within the limits.',
].join('\n')
process.stdout.write(`${table}\n\n${seconds} s in all\n`)
for (const { scenario, left } of outcomes)
  for (const [peer, why] of Object.entries(left)) process.stdout.write(`${peer}, ${scenario.name}: ${why}\n`)

if (values.save) {
  mkdirSync(values.save, { recursive: true })
  const machine = `${cpus().length} x ${cpus()[0]?.model}, ${process.platform}`
  const json = { node: process.version, machine, rounds: Number(values.rounds), rows }
  writeFileSync(join(values.save, 'results.json'), `${JSON.stringify(json, null, 2)}\n`)
  writeFileSync(join(values.save, 'table.txt'), `${table}\n`)
  writeFileSync(join(values.save, 'chart.svg'), toChart(rows))
}
const isMissing = outcomes.some(({ left }) => left.ours !== undefined || left.raw !== undefined)
process.exit(isMissing ? 1 : 0)
