// docs/guides/sessions.md shows regions of this file. sessions.examples.test.ts runs them.
import {
  type AnyAgent,
  memorySessions,
  type SessionMethods,
  type SessionStore,
  sessionStore,
} from '@capstan/core'
import { pgSessions } from '@capstan/stores/postgres'
import { sqliteSessions } from '@capstan/stores/sqlite'
import Database from 'libsql'
import { Pool } from 'pg'

export async function askTwice(agent: AnyAgent, db: Database.Database) {
  // #region run
  const store = sqliteSessions(db)
  const session = { store, id: 'ada' }
  await agent.run('What is the weather in Oslo?', { session })
  const result = await agent.run('And in Rome?', { session })
  console.log(result.session)
  // #endregion
  return result
}

export function open(file: string, connectionString: string) {
  // #region databases
  const inSqlite = sqliteSessions(new Database(file))
  const inPostgres = pgSessions(new Pool({ connectionString }))
  // #endregion
  return [inSqlite, inPostgres] as const
}

export async function change(agent: AnyAgent, store: SessionStore) {
  // #region branch
  const { messages } = await store.load('ada')
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const result = await agent.run('And in Lisbon?', { session: { store, id: 'ada', at: last } })
  console.log(result.session)
  // #endregion
  return result
}

export function own(database: SessionMethods = memorySessions()): SessionStore {
  // #region own
  const store = sessionStore({
    load: (id) => database.load(id),
    append: (id, messages, expectedVersion) => database.append(id, messages, expectedVersion),
    list: (query) => database.list(query),
    delete: (id) => database.delete(id),
  })
  // #endregion
  return store
}
