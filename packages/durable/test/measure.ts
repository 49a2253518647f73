// Measures the cost of durable runs: `node --conditions=development --import=tsx packages/durable/test/measure.ts`, about a minute.
// With other load on the machine, times are upper bounds; CPU figures are more reliable.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24 } from '../../../scripts/engines.mjs'
import { durable, startWorker } from '../src/dbos.js'
import { folderRuns, jsonHost, persistent } from '../src/index.js'
import { Database } from './measure/database.js'
import { type PerStep, perStep } from './measure/per-step.js'
import { tellSteps, tellThroughput } from './measure/tell.js'
import { type Throughput, throughput } from './measure/throughput.js'
import { makeWalker } from './measure/walker.js'

async function inMemory(): Promise<PerStep> {
  const { agent, spans } = makeWalker()
  return perStep('in memory', { runs: 200, spans, run: () => agent.run('Go.') })
}

async function inJson(): Promise<PerStep> {
  const { agent, spans } = makeWalker()
  return perStep('jsonHost', { runs: 200, spans, run: () => agent.run('Go.', { host: jsonHost }) })
}

async function inFolder(): Promise<PerStep> {
  const { agent, spans } = makeWalker()
  const folder = mkdtempSync(join(tmpdir(), 'capstan-measure-'))
  try {
    const walker = persistent(agent, { store: folderRuns(folder) })
    return await perStep('local, folder', { runs: 15, spans, run: () => walker.run('Go.') })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function onDbos(): Promise<readonly PerStep[]> {
  const database = await Database.start()
  if (!database) return []
  const found: PerStep[] = []
  for (const live of [false, true]) {
    const { agent, spans } = makeWalker()
    const walker = durable(agent, { database: database.url, live })
    const worker = await startWorker([walker])
    const run = () => walker.run('Go.')
    const host = live ? 'DBOS, live events' : 'DBOS'
    found.push(await perStep(host, { runs: 15, spans, run, serverCpu: () => database.cpu() }))
    await worker.close()
    await walker.close()
  }
  await database.stop()
  return found
}

function onRestate(): readonly PerStep[] {
  const node = node24()
  if (!node) console.warn('SKIPPED: workers of Restate need Node 22 or newer. Install it: `npm run engines`.')
  if (!node) return []
  const program = fileURLToPath(new URL('measure/restate.ts', import.meta.url))
  const { stdout } = spawnSync(node, ['--conditions=development', '--import=tsx', program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, RESTATE_LOGGING: 'ERROR' },
  })
  const line = stdout.split('\n').find((one) => one.startsWith('{"host"'))
  return line === undefined ? [] : [JSON.parse(line)]
}

const [cpu] = cpus()
console.log(`Node ${process.version}, ${cpus().length} x ${cpu?.model.trim()}`)
tellSteps([await inMemory(), await inJson(), await inFolder(), ...(await onDbos()), ...onRestate()])
const found: Throughput[] = []
for (const workers of [1, 2]) {
  const one = await throughput(workers, 150)
  if (one) found.push(one)
}
if (found.length > 0) tellThroughput(found)
