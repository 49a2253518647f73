import type { LedgerStore, SessionStore } from '@capstan/core'
import Libsql from 'libsql'
import { Pool } from 'pg'
import { type PgPool, pgLedger, pgRunStore, pgSessions } from '../src/postgres.js'
import type { RunStore } from '../src/run-store.js'
import { type SqliteDatabase, sqliteLedger, sqliteRunStore, sqliteSessions } from '../src/sqlite.js'

/** A database that several processes share. */
export type Place = { readonly file: string } | { readonly url: string; readonly schema: string }

export interface Stores {
  readonly runs: RunStore
  readonly sessions: SessionStore
  readonly ledger: LedgerStore
  close(): Promise<void>
}

/** Opens the stores in a place, with separate connections. */
export function storesOf(place: Place): Stores {
  if ('file' in place) {
    const db = new Libsql(place.file)
    return { ...sqliteStores(db), close: async () => void db.close() }
  }
  const pool = new Pool({ connectionString: place.url, max: 4 })
  return { ...pgStores(pool, place.schema), close: () => pool.end() }
}

export function sqliteStores(db: SqliteDatabase): Omit<Stores, 'close'> {
  return { runs: sqliteRunStore(db), sessions: sqliteSessions(db), ledger: sqliteLedger(db) }
}

export function pgStores(pool: PgPool, schema: string): Omit<Stores, 'close'> {
  const options = { schema }
  return {
    runs: pgRunStore(pool, options),
    sessions: pgSessions(pool, options),
    ledger: pgLedger(pool, options),
  }
}
