// bench.js [--only PEER,...] [--scenarios NAME,...] [--rounds N] [--node FILE] [--save FOLDER]
// Prints a table of the cost of each peer relative to a loop written by hand.
// Exits with 1 when ours or that loop failed a conversation.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { growthRows, isOver, type Row, rowsOf, toChart, toTable } from './report.js'
import { type Outcome, runRounds, startServer } from './rounds.js'
import { scenarioOf, scenarios } from './scenarios.js'

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
if (unknown) throw new Error(`Unknown peer "${unknown}". Known peers: ${allPeers.join(', ')}.`)

const server = await startServer(values.node)
const target = { node: values.node, origin: server.origin }
const started = Date.now()
const outcomes: Outcome[] = []
for (const name of values.scenarios.split(',')) {
  process.stderr.write(`${name} ...\n`)
  outcomes.push(
    await runRounds(scenarioOf(name), { peers, count: Number(values.rounds) }, { server, target }),
  )
}
server.close()

const rows: Row[] = [
  ...outcomes.flatMap(rowsOf),
  ...growthRows(outcomes, ['text-2000', 'text-20000']),
  ...growthRows(outcomes, ['args-2000', 'args-8000']),
  ...growthRows(outcomes, ['args-2000', 'args-20000']),
  ...(values.scenarios.includes('cold') ? [await bundleSizes(peers)] : []),
]
const seconds = Math.round((Date.now() - started) / 1000)
const over = rows.filter(isOver).map(({ name }) => name)
const table = [
  toTable(rows, peers),
  '',
  `CPU relative to raw, median of ${values.rounds} rounds. Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}.`,
  over.length > 0 ? `Over the limit (!): ${over.join(', ')}.` : 'All within the limits.',
].join('\n')
process.stdout.write(`${table}\n\n${seconds} s in all\n`)
for (const { scenario, excluded } of outcomes)
  for (const [peer, why] of Object.entries(excluded))
    process.stdout.write(`${peer}, ${scenario.name}: ${why}\n`)

if (values.save) {
  mkdirSync(values.save, { recursive: true })
  const machine = `${cpus().length} x ${cpus()[0]?.model}, ${process.platform}`
  const json = { node: process.version, machine, rounds: Number(values.rounds), rows }
  writeFileSync(join(values.save, 'results.json'), `${JSON.stringify(json, null, 2)}\n`)
  writeFileSync(join(values.save, 'table.txt'), `${table}\n`)
  writeFileSync(join(values.save, 'chart.svg'), toChart(rows))
}
const isMissing = outcomes.some(({ excluded }) => excluded.ours !== undefined || excluded.raw !== undefined)
process.exit(isMissing ? 1 : 0)

/** Sizes of one bundle per peer, with its program and zod, minified and gzipped. */
async function bundleSizes(peers: readonly string[]): Promise<Row> {
  const program = 'import * as z from "zod"\nexport default [peer, z.object({ city: z.string() })]'
  const figures: Record<string, number> = {}
  for (const peer of peers) {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { peer } from "./peers/${peer}.js"\n${program}`,
        resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'node',
      mainFields: ['module', 'main'],
      logLevel: 'silent',
      // Optional dependencies, loaded on demand.
      external: ['effect', 'sury', 'valibot', '@valibot/*'],
      // Bundles the installed packages, not the sources in `paths`.
      tsconfigRaw: '{}',
      conditions: ['import'],
    })
    figures[peer] = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length / 1000
  }
  return { name: 'size', what: 'the program with zod, min+gzip', unit: 'kB', figures, goal: 38, limit: 45 }
}
