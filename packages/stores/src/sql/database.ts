/** A value that every database keeps unchanged. Text must not contain NUL or half surrogate pairs. */
export type SqlValue = string | number | null

export type SqlRow = Readonly<Record<string, unknown>>

/** A statement that returns rows: each change has a RETURNING clause, so that all drivers read it alike. */
export interface Statement {
  /** The SQL. Each `?` is a value. */
  readonly text: string
  readonly values: readonly SqlValue[]
  /** The id of the run that it changes, if it returns a row. Its watchers are notified with the change. */
  readonly changes?: string
}

/** A database as the stores use it: a driver, and the SQL that differs. */
export interface Database {
  /** Executes one statement, which is atomic. */
  query(statement: Statement): Promise<readonly SqlRow[]>
  /** Executes statements one after another, all or none. Returns the rows of each. */
  batch(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>
  readonly sql: Dialect
  /** Whether a statement failed because another writer was first. */
  isRace(error: unknown): boolean
}

/** A database with transactions that decide between two statements. */
export interface TransactionalDatabase extends Database {
  /** Executes the statements that `steps` yields, all or none: its throw undoes them. */
  transaction<T>(steps: () => Steps<T>): Promise<T>
}

/** Yields statements, and gets each one's rows. A generator, so that drivers without promises do not pause. */
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
  /** A table `e` with the columns `n`, from 1, and `value`, text: the strings of the JSON array `?`. */
  readonly elements: string
  /** An expression: the JSON array `?` as `call_ids` keeps it. */
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
 * Returns text for a column: databases cut or refuse NUL and half surrogate pairs, so these are written as JSON escapes
 * them. Different texts stay different.
 */
export function toColumn(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}
