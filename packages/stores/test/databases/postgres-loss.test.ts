import { Pool } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { ownPostgres, test } from '../../../durable/test/postgres.js'
import { pgRunStore } from '../../src/postgres.js'
import { entryOf } from '../entry-of.js'
import { pgStores } from '../stores-of.js'

/** A separate server, because the test stops it. */
const server = await ownPostgres()

function open(name: string): Pool {
  const pool = new Pool({ connectionString: server.url, max: 4, application_name: name })
  onTestFinished(() => pool.end())
  return pool
}

test('while PostgreSQL is away calls fail and watchers are called again and again; then all works as before', async () => {
  const { runs, sessions } = pgStores(open('reader'), 'capstan')
  const writing = pgRunStore(open('writer'))
  await writing.put('a', entryOf('ada'), 0)
  await sessions.append('s', [{ role: 'user', content: 'hello' }], 0)
  let calls = 0
  const end = runs.watch?.('a', () => void calls++)
  onTestFinished(() => end?.())
  const counter = open('counter').on('error', () => {})
  const listening = async () => {
    const { rows } = await counter.query(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'reader' AND query LIKE 'LISTEN%'",
    )
    return rows.length
  }
  await expect.poll(listening).toBe(1)

  server.halt()
  const [put, load] = await Promise.all([
    writing.put('a', entryOf('ada'), 1).catch((error: unknown) => error),
    sessions.load('s').catch((error: unknown) => error),
  ])
  for (const error of [put, load])
    expect(error).toMatchObject({
      code: 'network',
      retryable: true,
      message: expect.stringMatching(
        /^Cannot reach PostgreSQL: .+\. Try again; the change may already be stored\.$/,
      ),
    })
  const before = calls
  await expect.poll(() => calls).toBeGreaterThan(before + 3)

  server.start()
  await expect.poll(() => writing.get('a').catch(() => undefined)).toMatchObject({ version: 1 })
  expect(await writing.put('a', entryOf('ada'), 1)).toBe(2)
  expect((await sessions.load('s')).version).toBe(1)
  await expect.poll(listening).toBe(1)
  const listened = calls
  await writing.append('a', [{ seq: 0 }], -1)
  await expect.poll(() => calls).toBeGreaterThan(listened)
})
