import type { Dialect } from './database.js'
import { createTables } from './tables.js'

/** The SQL for SQLite 3.42 or later, and for D1. */
export const sqliteDialect: Dialect = {
  table: (name) => `capstan_${name}`,
  now: "CAST(unixepoch('subsec') * 1000 AS integer)",
  elements: '(SELECT key + 1 AS n, value FROM json_each(?)) AS e',
  callIds: '?',
  hasCallId:
    "call_ids <> '[]' AND EXISTS (SELECT 1 FROM json_each(call_ids) WHERE value = json_extract(?, '$'))",
}

/** The statements that create the tables and indexes that do not exist. */
export const sqliteTables: readonly string[] = [
  ...createTables(sqliteDialect, { key: 'text', callIds: 'text' }),
  'CREATE INDEX IF NOT EXISTS capstan_runs_owner ON capstan_runs (owner, updated_at)',
  'CREATE INDEX IF NOT EXISTS capstan_runs_chat ON capstan_runs (chat, updated_at)',
  // Few runs have pending calls, so a query can scan all of these runs.
  "CREATE INDEX IF NOT EXISTS capstan_runs_call_ids ON capstan_runs (updated_at) WHERE call_ids <> '[]'",
  'CREATE INDEX IF NOT EXISTS capstan_runs_due_at ON capstan_runs (due_at)',
  'CREATE INDEX IF NOT EXISTS capstan_runs_updated_at ON capstan_runs (updated_at DESC, run_id)',
  'CREATE INDEX IF NOT EXISTS capstan_keys_expires_at ON capstan_keys (expires_at)',
  'CREATE INDEX IF NOT EXISTS capstan_sessions_updated_at ON capstan_sessions (updated_at DESC, session_id)',
  'CREATE INDEX IF NOT EXISTS capstan_ledger_open ON capstan_ledger_reservations (account, period) WHERE is_settled = 0',
  'CREATE INDEX IF NOT EXISTS capstan_ledger_reservations_ends_at ON capstan_ledger_reservations (ends_at)',
  'CREATE INDEX IF NOT EXISTS capstan_ledger_windows_ends_at ON capstan_ledger_windows (ends_at)',
  'CREATE INDEX IF NOT EXISTS capstan_sessions_root ON capstan_sessions (root)',
]
