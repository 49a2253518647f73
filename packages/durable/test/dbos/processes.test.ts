import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { isLong } from '../../../../scripts/cases.mjs'
import { type DbosAgent, durable } from '../../src/dbos.js'
import { type Ledger, startLedger } from '../kills/ledger.js'
import { ownPostgres, slowPostgresTest, test, usePostgres } from '../postgres.js'
import { crashAgents } from './crash-agents.js'

/** A separate server, because one test restarts it. */
const server = isLong ? await ownPostgres() : { ...usePostgres(), halt() {}, start() {} }
const database = server.url
const program = fileURLToPath(new URL('crash-worker.ts', import.meta.url))
const children = new Set<ChildProcess>()
const hourMs = 3_600_000
let ledger: Ledger
let runs: Readonly<Record<'payer' | 'poison' | 'slow', DbosAgent>>

beforeAll(async () => {
  ledger = await startLedger(() => 0.5)
  const { payer, poison, slow } = crashAgents(ledger.origin)
  const on = { database }
  runs = { payer: durable(payer, on), poison: durable(poison, on), slow: durable(slow, on) }
})
afterEach(async () => {
  await Promise.all([...children].map(kill))
})
afterAll(async () => {
  for (const one of Object.values(runs)) await one.close()
  ledger.close()
})

async function start(id: string, deadAfterMs = 800): Promise<ChildProcess> {
  const given = [database, ledger.origin, id, String(deadAfterMs)]
  const args = ['--conditions=development', '--import=tsx', program, ...given]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  children.add(child)
  child.once('close', () => children.delete(child))
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (said) => String(said).includes('ready') && resolve())
    child.once('close', () => reject(new Error(`${id} ended before it was ready`)))
  })
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** Returns a run's ledger entries. */
function entriesOf(runId: string) {
  return [...ledger.entries].filter(([key]) => key.startsWith(`${runId}/`)).map(([, entry]) => entry)
}

slowPostgresTest('an approval given without a live worker is applied later', async () => {
  const worker = await start('first')
  expect((await runs.payer.run('Pay.', { runId: 'bill' })).stopReason).toBe('pending')
  await kill(worker)
  await runs.payer.decide('bill', 'c0_0', { type: 'approve' })
  await runs.payer.decide('bill', 'c0_0', { type: 'approve' })
  await start('second')
  await expect.poll(() => runs.payer.status('bill')).toMatchObject({ phase: 'ended' })
  expect(await runs.payer.result('bill')).toMatchObject({ stopReason: 'done', text: 'Done after 1 results.' })
  expect(entriesOf('bill')).toMatchObject([{ attempts: 1, effects: 1 }])
})

slowPostgresTest.each([
  ['under the names of their own', (at: number) => `poisoned-${at}`],
  ['under one name', () => 'poisoned'],
])(
  'a run that kills its workers is set aside, and others go on: workers %s',
  async (what, nameOf) => {
    const [bad, good] = [`bad ${what}`, `good ${what}`]
    await runs.poison.start('Go.', { runId: bad })
    await runs.slow.start('Go.', { runId: good })
    let isOver = false
    const supervised = (async () => {
      for (let at = 0; !isOver; at++) {
        const child = await start(nameOf(at)).catch(() => undefined)
        if (isOver && child) await kill(child)
        if (child && child.exitCode === null && child.signalCode === null) await once(child, 'close')
      }
    })()
    await expect
      .poll(() => runs.poison.status(bad), { timeout: 200_000 })
      .toMatchObject({ phase: 'set_aside' })
    expect((await runs.slow.result(good)).text).toBe('Done after 40 results.')
    isOver = true
    await Promise.all([...children].map(kill))
    await supervised
    await expect(runs.poison.result(bad)).rejects.toMatchObject({ code: 'stopped' })
    const entries = entriesOf(good)
    expect(entries).toHaveLength(40)
    for (const { argumentSets } of entries) expect(argumentSets.size).toBe(1)
  },
  240_000,
)

slowPostgresTest(
  'a stalled worker that returns has lost its run and has no further effect',
  async () => {
    // The timeout is so long that this worker takes over nothing from the other one, even on a slow machine.
    const held = await start('held', hourMs)
    await runs.slow.start('Go.', { runId: 'zombie' })
    await expect.poll(() => entriesOf('zombie').length).toBeGreaterThan(3)
    held.kill('SIGSTOP')
    await start('other')
    await expect.poll(() => runs.slow.status('zombie')).toMatchObject({ worker: 'other' })
    held.kill('SIGCONT')
    const result = await runs.slow.result('zombie')
    expect(result.text).toBe('Done after 40 results.')
    expect(entriesOf('zombie')).toHaveLength(40)
    for (const { attempts, argumentSets } of entriesOf('zombie')) {
      expect(argumentSets.size).toBe(1)
      expect(attempts).toBeLessThanOrEqual(2)
    }
  },
  240_000,
)

slowPostgresTest(
  'a starting worker takes nothing from a live one of the same name',
  async () => {
    await start('twin', hourMs)
    await runs.slow.start('Go.', { runId: 'twins' })
    await expect.poll(() => entriesOf('twins').length).toBeGreaterThan(3)
    await start('twin', hourMs)
    expect((await runs.slow.result('twins')).text).toBe('Done after 40 results.')
    expect(await runs.slow.status('twins')).toMatchObject({ worker: 'twin', attempts: 1 })
    for (const { attempts, argumentSets } of entriesOf('twins')) {
      expect(attempts).toBe(1)
      expect(argumentSets.size).toBe(1)
    }
  },
  240_000,
)

slowPostgresTest(
  'a live worker takes the work of a dead one of the same name',
  async () => {
    const twins = [await start('double'), await start('double')]
    await runs.slow.start('Go.', { runId: 'doubles' })
    let busy: ChildProcess | undefined
    const find = () => {
      busy = twins.find(({ pid }) => ledger.inFlight(String(pid)) > 0)
      return busy
    }
    await expect.poll(find, { interval: 5 }).toBeDefined()
    await kill(busy as unknown as ChildProcess)
    expect((await runs.slow.result('doubles')).text).toBe('Done after 40 results.')
    expect(entriesOf('doubles')).toHaveLength(40)
    for (const { argumentSets } of entriesOf('doubles')) expect(argumentSets.size).toBe(1)
  },
  240_000,
)

test('a restarted worker takes its old work without waiting for the timeout', async () => {
  const before = await start('again', hourMs)
  await runs.slow.start('Go.', { runId: 'again' })
  await expect.poll(() => entriesOf('again').length).toBeGreaterThan(3)
  await kill(before)
  await start('again', hourMs)
  expect((await runs.slow.result('again')).text).toBe('Done after 40 results.')
  expect(entriesOf('again')).toHaveLength(40)
}, 240_000)

slowPostgresTest(
  'a restart of the database loses nothing',
  async () => {
    await start('steady')
    await runs.slow.start('Go.', { runId: 'outage' })
    await expect.poll(() => entriesOf('outage').length).toBeGreaterThan(3)
    server.halt()
    server.start()
    // The first query uses a lost connection.
    await expect.poll(() => runs.slow.status('outage').catch(() => undefined)).toBeDefined()
    expect((await runs.slow.result('outage')).text).toBe('Done after 40 results.')
    expect(entriesOf('outage')).toHaveLength(40)
    for (const { argumentSets } of entriesOf('outage')) expect(argumentSets.size).toBe(1)
  },
  240_000,
)
