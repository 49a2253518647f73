import type { LedgerStore, SessionStore } from '@capstan/core'
import { ChangeListener } from './postgres/change-listener.js'
import { pgDatabase } from './postgres/database.js'
import { checkPool, type PgPool, type PgStoreOptions, schemaOf } from './postgres/pool.js'
import { checkRunId, type RunStore } from './run-store.js'
import { sqlLedger } from './sql/ledger.js'
import { sqlRunStore } from './sql/runs.js'
import { sqlSessions } from './sql/sessions.js'

export type { PgClient, PgNotification, PgPool, PgResult, PgStoreOptions } from './postgres/pool.js'

/**
 * Creates a run store in PostgreSQL, for any number of processes. The store creates its tables on first use, and uses
 * the database's clock. If the database cannot be reached, the store's methods throw a CapstanError `network`.
 * In that case, a change may or may not have been stored.
 *
 * While there are watchers, `watch` uses one of the pool's clients. The store has no `watch` if the pool's `max` is 1,
 * or if the pool has no `on`. Behind a pooler such as PgBouncer, `watch` needs session mode.
 *
 * @throws CapstanError `invalid_request` for a value that is not a pool, or a schema that is not a plain name
 */
export function pgRunStore(pool: PgPool, options: PgStoreOptions = {}): RunStore {
  checkPool(pool, 'pgRunStore')
  const schema = schemaOf(options, 'pgRunStore')
  const store = sqlRunStore(pgDatabase(pool, schema))
  if (!pool.on || pool.options?.max === 1) return store
  const listener = new ChangeListener(pool, schema)
  return {
    ...store,
    watch(runId, onChange) {
      checkRunId(runId)
      return listener.watch(runId, onChange)
    },
  }
}

/**
 * Creates a session store in PostgreSQL, for any number of processes. Takes the same arguments and throws the same
 * errors as `pgRunStore`.
 */
export function pgSessions(pool: PgPool, options: PgStoreOptions = {}): SessionStore {
  checkPool(pool, 'pgSessions')
  return sqlSessions(pgDatabase(pool, schemaOf(options, 'pgSessions')))
}

/**
 * Creates a ledger in PostgreSQL, for any number of processes. Takes the same arguments and throws the same errors as
 * `pgRunStore`.
 */
export function pgLedger(pool: PgPool, options: PgStoreOptions = {}): LedgerStore {
  checkPool(pool, 'pgLedger')
  return sqlLedger(pgDatabase(pool, schemaOf(options, 'pgLedger')))
}
