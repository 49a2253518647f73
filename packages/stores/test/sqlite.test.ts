import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ledgerStoreChecks, runStoreChecks, sessionStoreChecks } from '@capstan/testing'
import Libsql from 'libsql'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type SqliteDatabase, sqliteRunStore } from '../src/sqlite.js'
import { entryOf } from './entry-of.js'
import { sqliteStores } from './stores-of.js'

interface Closable extends SqliteDatabase {
  close(): void
}

/** Available in Node 22.13 and later. */
const { DatabaseSync } = (process.getBuiltinModule?.('node:sqlite') ?? {}) as {
  DatabaseSync?: new (file: string) => Closable
}

const root = await mkdtemp(join(tmpdir(), 'capstan-sqlite-'))
afterAll(() => rm(root, { recursive: true }))
let count = 0
const newFile = () => join(root, `${count++}.db`)

function open(Database: new (file: string) => Closable, file = newFile()): Closable {
  const db = new Database(file)
  onTestFinished(() => db.close())
  return db
}

const drivers = [
  ['libsql', test, Libsql as new (file: string) => Closable],
  ['node:sqlite', test.skipIf(!DatabaseSync), DatabaseSync ?? Libsql],
] as const

for (const [name, testOn, Database] of drivers) {
  const stores = () => sqliteStores(open(Database))
  for (const check of runStoreChecks(() => stores().runs))
    testOn(`runs over ${name}: ${check.name}`, check.run)
  for (const check of sessionStoreChecks(() => stores().sessions, { branches: 'required' }))
    testOn(`sessions over ${name}: ${check.name}`, check.run)
  for (const check of ledgerStoreChecks(() => stores().ledger))
    testOn(`ledger over ${name}: ${check.name}`, check.run)

  testOn(
    `a file that another process has locked fails with timeout over ${name}, and works again`,
    async () => {
      const file = newFile()
      const [mine, other] = [open(Database, file), open(Database, file)]
      const runs = sqliteRunStore(mine)
      await runs.put('a', entryOf('ada'), 0)
      // Shorter than the store's own timeout. A user may set it after the first use.
      mine.exec('PRAGMA busy_timeout = 50')
      other.exec('BEGIN IMMEDIATE')
      await expect(runs.put('b', entryOf('ada'), 0)).rejects.toMatchObject({
        code: 'timeout',
        retryable: true,
      })
      await expect(runs.delete('a')).rejects.toMatchObject({ code: 'timeout' })
      expect((await runs.list({ limit: 10 })).runs.length).toBe(1)
      other.exec('COMMIT')
      expect(await runs.put('b', entryOf('ada'), 0)).toBe(1)
    },
  )

  testOn(
    `sets WAL, full synchronization and a timeout over ${name}, and keeps a longer timeout`,
    async () => {
      const db = open(Database)
      const pragma = (of: string) => Object.values(Object(db.prepare(`PRAGMA ${of}`).all()[0]))[0]
      await sqliteRunStore(db).get('a')
      expect(['journal_mode', 'synchronous', 'busy_timeout'].map(pragma)).toEqual(['wal', 2, 5000])
      const patient = open(Database)
      patient.exec('PRAGMA busy_timeout = 60000')
      await sqliteRunStore(patient).get('a')
      expect(Object.values(Object(patient.prepare('PRAGMA busy_timeout').all()[0]))[0]).toBe(60_000)
    },
  )
}

test('stores of one file see what the others wrote', async () => {
  const file = newFile()
  const [one, other] = [sqliteStores(open(Libsql, file)), sqliteStores(open(Libsql, file))]
  await one.runs.put('a', entryOf('ada'), 0)
  await other.runs.append('a', [{ seq: 0 }], -1)
  expect(await one.runs.read('a', -1)).toEqual([{ seq: 0 }])
})

test('a run or session that is damaged, or of a newer version, is refused', async () => {
  const db = open(Libsql)
  const { runs, sessions } = sqliteStores(db)
  for (const id of ['text', 'field', 'newer', 'event']) await runs.put(id, entryOf('ada'), 0)
  await runs.append('event', [{ seq: 0 }, { seq: 1 }, { seq: 2 }], -1)
  for (const id of ['text', 'missing', 'newer', 'count'])
    await sessions.append(
      id,
      [
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
      ],
      0,
    )
  await sessions.append('missing', [{ role: 'user', content: 'three' }], 2)
  db.exec(`
    UPDATE capstan_runs SET entry = '{"owner":' WHERE run_id = 'text';
    UPDATE capstan_runs SET entry = '{"owner":"ada"}' WHERE run_id = 'field';
    UPDATE capstan_runs SET format = 2 WHERE run_id = 'newer';
    DELETE FROM capstan_events WHERE seq = 1;
    UPDATE capstan_appends SET messages = '[' WHERE session_id = 'text';
    DELETE FROM capstan_appends WHERE session_id = 'missing' AND at = 0;
    UPDATE capstan_sessions SET format = 2 WHERE session_id = 'newer';
    UPDATE capstan_appends SET messages = '[{"role":"user","content":"one"}]' WHERE session_id = 'count';
  `)
  for (const id of ['text', 'field', 'newer'])
    await expect(runs.get(id)).rejects.toMatchObject({ code: 'invalid_state', evidence: { runId: id } })
  await expect(runs.list({ limit: 10 })).rejects.toMatchObject({ code: 'invalid_state' })
  await expect(runs.read('event', -1)).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await runs.read('event', 1)).toEqual([{ seq: 2 }])
  for (const id of ['text', 'missing', 'newer', 'count'])
    await expect(sessions.load(id)).rejects.toMatchObject({ code: 'invalid_state', evidence: { id } })
  await expect(sessions.append('newer', [{ role: 'user', content: 'three' }], 2)).rejects.toMatchObject({
    code: 'invalid_state',
  })
})

test('rejects what is not a database, and one that returns promises', async () => {
  // @ts-expect-error: a file name is not a database
  expect(() => sqliteRunStore('runs.db')).toThrow('sqliteRunStore takes a database, not a string.')
  const db = open(Libsql)
  const promises = {
    exec: async (sql: string) => db.exec(sql),
    prepare: async (sql: string) => db.prepare(sql),
  }
  // @ts-expect-error: a database of `libsql/promise`
  await expect(sqliteRunStore(promises).get('a')).rejects.toThrow('This database returns promises.')
})
