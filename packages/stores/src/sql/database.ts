/** A value that every database keeps unchanged. A string must not contain NUL or lone surrogates. */
export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/** A statement that returns rows. Each change has a RETURNING clause, so that all drivers read it the same way. */
export interface Statement {
  /** The SQL. Each `?` is replaced by a value. */
  readonly text: string
  readonly values: readonly SqlValue[]
  /** The id of the run that it changes, if it returns a row. The run's watchers are notified together with the change. */
  readonly changes?: string
}

/** A database for the stores: a driver, and the SQL that differs. */
export interface Database {
  /** Executes one statement, which is atomic. */
  query(statement: Statement): Promise<readonly SqlRow[]>
  /** Executes all statements in order, or none. Returns the rows of each. */
  batch(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>
  readonly sql: Dialect
  /** Whether a statement failed because another writer was first. */
  isRace(error: unknown): boolean
}

/** A database with transactions that can decide between statements. */
export interface TransactionalDatabase extends Database {
  /** Executes all statements that `steps` yields, or none: if it throws, they are undone. */
  transaction<T>(steps: () => Steps<T>): Promise<T>
}

/** Yields statements and receives each one's rows. A generator, so that drivers without promises never pause. */
export type Steps<T> = Generator<Statement, T, readonly SqlRow[]>

/** Yields all of these statements. */
export function* stepsOf(statements: readonly Statement[]): Steps<readonly (readonly SqlRow[])[]> {
  const results: (readonly SqlRow[])[] = []
  for (const statement of statements) results.push(yield statement)
  return results
}

/** The SQL in which databases differ. */
export interface Dialect {
  /** Returns the full name of a table. */
  table(name: TableName): string
  /** An expression: the time in whole milliseconds since 1970. */
  readonly now: string
  /** A table `e` with the columns `n`, from 1, and `value`, which are the strings of the JSON array `?`. */
  readonly elements: string
  /** An expression: the JSON array `?` in the form of the column `call_ids`. */
  readonly callIds: string
  /** A condition: `call_ids` contains the JSON string `?`. */
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
 * Returns a string for a column. Databases truncate or reject NUL and lone surrogates, so these are written as JSON
 * escapes. Different strings stay different.
 */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
