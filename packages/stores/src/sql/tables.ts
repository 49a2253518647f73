import { type Dialect, type TableName, tableNames } from './database.js'

/** The column types that differ between databases. */
export interface ColumnTypes {
  /** The type for text that is compared byte by byte. */
  readonly key: string
  /** The type for a JSON array with the ids of pending calls. */
  readonly callIds: string
}

/** Returns a `CREATE TABLE IF NOT EXISTS` statement for each table. */
export function createTables({ table }: Pick<Dialect, 'table'>, { key, callIds }: ColumnTypes): string[] {
  const columns = {
    runs: `run_id ${key} PRIMARY KEY, version bigint NOT NULL, format bigint NOT NULL, owner text NOT NULL, status text NOT NULL, call_ids ${callIds} NOT NULL, chat text, due_at bigint, updated_at bigint NOT NULL, entry text NOT NULL`,
    events: `run_id ${key} NOT NULL REFERENCES ${table('runs')} ON DELETE CASCADE, seq bigint NOT NULL, event text NOT NULL, PRIMARY KEY (run_id, seq)`,
    keys: `key ${key} PRIMARY KEY, value text NOT NULL, expires_at bigint`,
    sessions: `session_id ${key} PRIMARY KEY, version bigint NOT NULL, format bigint NOT NULL, append_id text, updated_at bigint NOT NULL, origin ${key}, origin_at bigint, root ${key} NOT NULL`,
    appends: `session_id ${key} NOT NULL REFERENCES ${table('sessions')} ON DELETE CASCADE, at bigint NOT NULL, count bigint NOT NULL, messages text NOT NULL, PRIMARY KEY (session_id, at)`,
    ledger_windows: `account ${key} NOT NULL, period ${key} NOT NULL, ends_at bigint NOT NULL, used text NOT NULL, PRIMARY KEY (account, period)`,
    ledger_reservations: `id ${key} PRIMARY KEY, account ${key} NOT NULL, period ${key} NOT NULL, ends_at bigint NOT NULL, granted text NOT NULL, until bigint NOT NULL, is_settled bigint NOT NULL`,
  } satisfies Record<TableName, string>
  return tableNames.map((name) => `CREATE TABLE IF NOT EXISTS ${table(name)} (${columns[name]})`)
}
