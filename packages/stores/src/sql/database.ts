/**
 * A value that every database stores unchanged. Strings must not contain NUL or lone surrogates, so convert them with
 * `toColumn`.
 */
export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/**
 * A statement that returns rows. Statements that change rows have a RETURNING clause, so that all drivers can execute
 * them the same way.
 */
export interface Statement {
  /** The SQL. Each `?` is replaced by the next item of `values`. */
  readonly text: string
  readonly values: readonly SqlValue[]
  /**
   * The id of the run that the statement changes. If the statement returns a row, the run's watchers are notified in
   * the same transaction.
   */
  readonly changes?: string
}

/** A database that stores can use: a driver, and the SQL that differs between databases. */
export interface Database {
  /** Executes one statement, which is atomic. */
  query(statement: Statement): Promise<readonly SqlRow[]>
  /** Executes either all statements, in order, or none. Returns each statement's rows. */
  batch(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>
  readonly sql: Dialect
  /** Whether the error means that another writer was first. */
  isRace(error: unknown): boolean
}

/** A database whose transactions can run code between statements. */
export interface TransactionalDatabase extends Database {
  /** Executes the statements that `steps` yields in one transaction. If `steps` throws, they are rolled back. */
  transaction<T>(steps: () => Steps<T>): Promise<T>
}

/**
 * Yields statements, and receives the rows that each returned. Synchronous drivers can execute the generator without
 * interruption.
 */
export type Steps<T> = Generator<Statement, T, readonly SqlRow[]>

/** Yields the given statements in order. Returns each statement's rows. */
export function* stepsOf(statements: readonly Statement[]): Steps<readonly (readonly SqlRow[])[]> {
  const results: (readonly SqlRow[])[] = []
  for (const statement of statements) results.push(yield statement)
  return results
}

/** The parts of the SQL that differ between databases. */
export interface Dialect {
  /** Returns a table's name as used in SQL, with its schema or prefix. */
  table(name: TableName): string
  /** An expression for the current time in whole milliseconds since 1970. */
  readonly now: string
  /** A table `e` that contains the strings in the JSON array `?`, with the columns `n` (from 1) and `value`. */
  readonly elements: string
  /** An expression that converts the JSON array `?` to the type of the column `call_ids`. */
  readonly callIds: string
  /** A condition that is true if `call_ids` contains the JSON string `?`. */
  readonly hasCallId: string
}

export const tableNames = [
  'runs',
  'events',
  'keys',
  'sessions',
  'appends',
  'ledger_windows',
  'ledger_reservations',
] as const

export type TableName = (typeof tableNames)[number]

/**
 * Escapes a string for a column. Databases truncate or reject NUL and lone surrogates, so these become JSON escapes.
 * Different strings have different results.
 */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
