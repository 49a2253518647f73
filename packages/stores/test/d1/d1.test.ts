import { runStoreChecks, sessionStoreChecks } from '@capstan/testing'
import Libsql from 'libsql'
import { expect, onTestFinished, test } from 'vitest'
import { type D1Like, d1RunStore, d1Sessions } from '../../src/d1.js'
import { entryOf } from '../entry-of.js'
import { d1OnSqlite } from './d1-on-sqlite.js'

function open(): D1Like {
  const db = new Libsql(':memory:')
  onTestFinished(() => void db.close())
  return d1OnSqlite(db)
}

for (const { name, run } of runStoreChecks(() => d1RunStore(open()))) test(`runs: ${name}`, run)
for (const { name, run } of sessionStoreChecks(() => d1Sessions(open()), { branches: 'required' }))
  test(`sessions: ${name}`, run)

test('requests that use an empty database at the same moment all store', async () => {
  const db = open()
  const puts = Array.from({ length: 10 }, (_, at) => d1RunStore(db).put(`${at}`, entryOf('ada'), 0))
  expect(await Promise.all(puts)).toEqual(puts.map(() => 1))
})

test('an entry beyond 2 MB is refused, with what to do', async () => {
  const runs = d1RunStore(open())
  const put = runs.put('a', entryOf('ada', 'x'.repeat(2_000_000)), 0)
  await expect(put).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('Store large data as artifacts.'),
  })
  expect(await runs.get('a')).toBeUndefined()
})

test('a lost connection is an error that can be repeated', async () => {
  const db = open()
  let isLost = true
  const runs = d1RunStore({
    prepare: (sql) => db.prepare(sql),
    batch: async (statements) => {
      if (isLost) throw new Error('D1_ERROR: Network connection lost.')
      return db.batch(statements)
    },
  })
  await expect(runs.put('a', entryOf('ada'), 0)).rejects.toMatchObject({ code: 'network', retryable: true })
  isLost = false
  expect(await runs.put('a', entryOf('ada'), 0)).toBe(1)
})

test('rejects a KV namespace', () => {
  const kv = { get: async () => null, put: async () => {}, list: async () => ({}), delete: async () => {} }
  // @ts-expect-error: not a D1 database
  expect(() => d1RunStore(kv)).toThrow('Pass env.DB. A KV namespace is not consistent enough.')
})
