import { setImmediate } from 'node:timers/promises'
import type { D1Like, D1LikeResult, D1LikeStatement } from '../../src/d1.js'
import type { SqliteDatabase } from '../../src/sqlite.js'

/** D1's limits for a statement. */
const most = { values: 100, bytes: 2_000_000, sql: 100_000 }

/**
 * A D1 on a SQLite file, as `env.DB` of a Worker is one: statements are asynchronous, a batch is all or none, and values
 * are limited. `npm test` uses it; `prove-d1.ts` runs the same checks on Cloudflare's own.
 */
export function d1OnSqlite(db: SqliteDatabase): D1Like {
  db.exec('PRAGMA foreign_keys = ON')
  return {
    prepare: (sql) => new SqliteStatement(db, sql),
    async batch(statements) {
      await setImmediate()
      db.exec('BEGIN IMMEDIATE')
      try {
        const results = statements.map((statement) => SqliteStatement.execute(statement))
        db.exec('COMMIT')
        return results
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
  }
}

class SqliteStatement implements D1LikeStatement {
  readonly #db: SqliteDatabase
  readonly #sql: string
  readonly #values: readonly unknown[]

  constructor(db: SqliteDatabase, sql: string, values: readonly unknown[] = []) {
    this.#db = db
    this.#sql = sql
    this.#values = values
  }

  static execute(statement: D1LikeStatement): D1LikeResult {
    if (!(statement instanceof SqliteStatement)) throw new TypeError('D1_TYPE_ERROR: not a statement of D1')
    return statement.#execute()
  }

  bind(...values: unknown[]): D1LikeStatement {
    return new SqliteStatement(this.#db, this.#sql, values)
  }

  async all(): Promise<D1LikeResult> {
    await setImmediate()
    return this.#execute()
  }

  #execute(): D1LikeResult {
    if (this.#values.length > most.values) throw new Error('D1_ERROR: too many SQL variables: SQLITE_ERROR')
    if (this.#sql.length > most.sql) throw new Error('D1_ERROR: statement too long: SQLITE_TOOBIG')
    const results = this.#db.prepare(this.#sql).all(...(this.#values.map(toValue) as never[]))
    // As if they crossed a network.
    return { results: JSON.parse(JSON.stringify(results)) }
  }
}

function toValue(value: unknown): string | number | null {
  if (value !== null && typeof value !== 'string' && typeof value !== 'number')
    throw new TypeError(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${value}'`)
  if (typeof value === 'string' && Buffer.byteLength(value) > most.bytes)
    throw new Error('D1_ERROR: string or blob too big: SQLITE_TOOBIG')
  return value
}
