import { ledgerStoreChecks, runStoreChecks, sessionStoreChecks } from '@capstan/testing'
import { Pool } from 'pg'
import { expect, onTestFinished } from 'vitest'
import { test, usePostgres } from '../../../durable/test/postgres.js'
import { type PgPool, pgRunStore } from '../../src/postgres.js'
import { entryOf } from '../entry-of.js'
import { pgStores } from '../stores-of.js'

const { url } = usePostgres()
let count = 0
const newSchema = () => `test_${count++}`

function open(settings: ConstructorParameters<typeof Pool>[0] = {}): Pool {
  const pool = new Pool({ connectionString: url, max: 4, ...settings })
  onTestFinished(() => pool.end())
  return pool
}

const stores = () => pgStores(open(), newSchema())
for (const { name, run } of runStoreChecks(() => stores().runs)) test(`runs in PostgreSQL: ${name}`, run)
for (const { name, run } of sessionStoreChecks(() => stores().sessions, { branches: 'required' }))
  test(`sessions in PostgreSQL: ${name}`, run)
for (const { name, run } of ledgerStoreChecks(() => stores().ledger))
  test(`ledger in PostgreSQL: ${name}`, run)

test('PostgreSQL calls watchers for changes of other processes, over one connection while there are any', async () => {
  const schema = newSchema()
  const [watching, writing] = [open({ application_name: schema }), pgRunStore(open(), { schema })]
  const listening = () => countOf(watching, `application_name = '${schema}' AND query LIKE 'LISTEN%'`)
  const store = pgRunStore(watching, { schema })
  const calls = { a: 0, b: 0 }
  const ends = (['a', 'b'] as const).map((id) => store.watch?.(id, () => void calls[id]++))
  onTestFinished(() => {
    for (const end of ends) end?.()
  })
  await expect.poll(listening).toBe(1)
  // Before and after it starts listening, both watchers are called equally often.
  const changes = () => calls.a - calls.b
  await writing.put('a', entryOf('ada'), 0)
  await expect.poll(changes).toBe(1)
  await writing.put('a', entryOf('ada'), 1)
  await expect.poll(changes).toBe(2)
  await writing.append('a', [{ seq: 0 }, { seq: 1 }], -1)
  await expect.poll(changes).toBe(3)
  await writing.delete('a')
  await expect.poll(changes).toBe(4)
  ends[0]?.()
  await writing.put('b', entryOf('ada'), 0)
  await expect.poll(changes).toBe(3)
  ends[1]?.()
  await expect.poll(listening).toBe(0)
  expect(changes()).toBe(3)
})

test('a pool of PostgreSQL that cannot listen has no watch', async () => {
  const pool = open()
  const plain: PgPool = { query: (...given) => pool.query(...given), connect: () => pool.connect() }
  const store = pgRunStore(plain, { schema: newSchema() })
  expect(store.watch).toBeUndefined()
  expect(await store.put('a', entryOf('ada'), 0)).toBe(1)
  expect(pgRunStore(open({ max: 1 }), { schema: newSchema() }).watch).toBeUndefined()
})

test('in PostgreSQL owners, chats and calls of any length are found', async () => {
  const { runs } = stores()
  const long = Array.from({ length: 20_000 }, (_, at) =>
    String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
  ).join('')
  const entry = { ...entryOf(long), chat: `${long}!`, callIds: [`${long}?`, 'short'] }
  await runs.put('long', entry, 0)
  await runs.put('other', { ...entry, owner: 'ada', chat: 'chat', callIds: ['call'] }, 0)
  const wanted = [{ runId: 'long', entry, version: 1 }]
  expect((await runs.list({ owner: long, limit: 9 })).runs).toEqual(wanted)
  expect((await runs.list({ chat: `${long}!`, limit: 9 })).runs).toEqual(wanted)
  expect((await runs.list({ callId: `${long}?`, limit: 9 })).runs).toEqual(wanted)
})

test('PostgreSQL finds the call that waits by its index', async () => {
  const schema = newSchema()
  const pool = open({ options: '-c enable_seqscan=off' })
  await pgRunStore(pool, { schema }).put('a', entryOf('ada'), 0)
  const { rows } = await pool.query(
    `EXPLAIN SELECT run_id FROM "${schema}".runs WHERE call_ids @> CAST('"call"' AS jsonb)`,
  )
  expect(JSON.stringify(rows)).toContain('runs_call_ids')
})

test('an account of PostgreSQL that may not create a schema uses what is there', async () => {
  const schema = newSchema()
  const admin = open()
  const limited = new URL(url)
  limited.username = `limited_${schema}`
  const pool = open({ connectionString: limited.href })
  await admin.query(`CREATE ROLE ${limited.username} LOGIN`)
  const store = pgRunStore(pool, { schema })
  await expect(store.get('a')).rejects.toMatchObject({
    code: 'api',
    message: expect.stringContaining('permission denied'),
    evidence: { state: '42501' },
  })
  await pgRunStore(admin, { schema }).get('a')
  await admin.query(`GRANT USAGE ON SCHEMA ${schema} TO ${limited.username}`)
  await admin.query(`GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${limited.username}`)
  expect(await store.put('a', entryOf('ada'), 0)).toBe(1)
  await admin.query(`CREATE SCHEMA own_${schema} AUTHORIZATION ${limited.username}`)
  expect(await pgRunStore(pool, { schema: `own_${schema}` }).put('a', entryOf('ada'), 0)).toBe(1)
})

test('PostgreSQL with stricter isolation as its default gives conflicts too', async () => {
  const { runs, sessions } = pgStores(
    open({ options: '-c default_transaction_isolation=serializable' }),
    newSchema(),
  )
  await runs.put('a', entryOf('ada'), 0)
  const attempts = Array.from({ length: 6 }, (_, at) => [
    runs.put('a', entryOf('ada', at), 1),
    runs.append('a', [{ seq: 0, by: at }], -1),
    sessions.append('s', [{ role: 'user', content: `${at}` }], 0),
  ]).flat()
  const outcomes = await Promise.allSettled(attempts)
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  expect(failures).toEqual(Array.from({ length: 15 }, () => 'conflict'))
})

test('PostgreSQL keeps stores of several schemas apart, whatever the case of their names', async () => {
  const [name, pool] = [newSchema(), open()]
  const [lower, upper] = [
    pgRunStore(pool, { schema: name }),
    pgRunStore(pool, { schema: name.toUpperCase() }),
  ]
  await lower.put('a', entryOf('ada'), 0)
  expect(await upper.get('a')).toBeUndefined()
})

test.for(['', 'a-b', 'a"b', '1a', 'a b', 'x'.repeat(49), 'ä', 7])(
  'PostgreSQL gets no schema %j',
  (schema) => {
    // @ts-expect-error: one of the schemas is a number
    expect(() => pgRunStore(open(), { schema })).toThrow(/^pgRunStore: schema is .*\. Use 1 to 48 letters/)
  },
)

test('PostgreSQL is used through a pool', () => {
  // @ts-expect-error: a URL is not a pool
  expect(() => pgRunStore(url)).toThrow('pgRunStore takes a pool, not a string.')
  // @ts-expect-error: unknown option
  expect(() => pgRunStore(open(), { schemas: 'a' })).toThrow('Did you mean "schema"?')
})

async function countOf(pool: Pool, condition: string): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*) FROM pg_stat_activity WHERE ${condition} AND pid <> pg_backend_pid()`,
  )
  return Number(rows[0].count)
}
