import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type DbosAgent, durable } from '../../src/dbos.js'
import { type Ledger, startLedger } from '../kills/ledger.js'
import { test, usePostgres } from '../postgres.js'
import { threeAtOnce } from './stopped-worker.js'

const { url: database } = usePostgres()
const program = fileURLToPath(new URL('stopped-worker.ts', import.meta.url))
const children = new Set<ChildProcess>()
let ledger: Ledger
let runs: DbosAgent

beforeAll(async () => {
  ledger = await startLedger(() => 0.5)
  runs = durable(threeAtOnce(ledger.origin), { database })
})
afterEach(async () => {
  await Promise.all([...children].map(kill))
})
afterAll(async () => {
  await runs.close()
  ledger.close()
})

async function start(...args: readonly string[]): Promise<ChildProcess> {
  const options = ['--conditions=development', '--import=tsx', program, database, ledger.origin]
  const child = spawn(process.execPath, [...options, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.add(child)
  child.once('close', () => children.delete(child))
  await once(child.stdout, 'data')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

/** Returns how many attempts each call of a run had. */
function attemptsOf(runId: string): number[] {
  return [...ledger.entries]
    .filter(([key]) => key.startsWith(`${runId}/`))
    .map(([, { attempts }]) => attempts)
}

test('a worker that was stopped before its calls begins none of those that another has recorded', async () => {
  const slow = await start('late', 'stop')
  await runs.start('Go.', { runId: 'stopped' })
  await once(slow.stdout as Readable, 'data')
  const other = await start('taker')
  expect((await runs.result('stopped')).text).toBe('Done after 6 results.')
  expect(await runs.status('stopped')).toMatchObject({ worker: 'taker' })
  await kill(other)
  slow.kill('SIGCONT')
  // The worker is executing a run again, so anything that it was about to start has started.
  expect((await runs.run('Go.', { runId: 'after' })).text).toBe('Done after 6 results.')
  expect(await runs.status('after')).toMatchObject({ worker: 'late' })
  expect(attemptsOf('stopped')).toEqual([1, 1, 1, 1, 1, 1])
}, 60_000)

test('a worker that was stopped and is back before another could take its run keeps it', async () => {
  const slow = await start('slow', 'stop')
  await runs.start('Go.', { runId: 'kept' })
  await once(slow.stdout as Readable, 'data')
  const pg = new Client(database)
  await pg.connect()
  try {
    // As if the worker had been suspended within a transaction.
    await pg.query('BEGIN')
    await pg.query(`SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid = 'kept' FOR UPDATE`)
    await start('other')
    const looks = async () => {
      const { rows } = await pg.query(`SELECT
        NOT EXISTS (SELECT 1 FROM capstan.workers WHERE id LIKE 'slow~%' AND seen_at > clock_timestamp() - interval '900 ms') AS dead,
        (SELECT count(*)::int FROM capstan.workers WHERE id LIKE 'other~%') AS others`)
      return rows[0]
    }
    await expect.poll(looks, { timeout: 20_000 }).toMatchObject({ dead: true, others: 1 })
    slow.kill('SIGCONT')
    await expect.poll(looks, { timeout: 20_000 }).toMatchObject({ dead: false })
    await pg.query('ROLLBACK')
  } finally {
    await pg.end()
  }
  expect((await runs.result('kept')).text).toBe('Done after 6 results.')
  expect(await runs.status('kept')).toMatchObject({ worker: 'slow', attempts: 1 })
  expect(attemptsOf('kept')).toEqual([1, 1, 1, 1, 1, 1])
}, 60_000)
