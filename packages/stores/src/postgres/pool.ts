import { checkOptionNames, kindOf } from '@capstan/core/internal'
import { invalid } from '../stored-json.js'

/** The methods of a `pg` 8 `Pool` that the stores use. */
export interface PgPool {
  query(text: string, values?: unknown[]): Promise<PgResult>
  connect(): Promise<PgClient>
  /**
   * Adds a listener. If a pool lacks this method, the store has no `watch`, because the pool's clients do not report
   * notifications.
   */
  on?(event: 'error', listener: (error: Error) => void): unknown
  /** The pool's options. If `max` is 1, the store has no `watch`, because it would occupy the only client. */
  readonly options?: { readonly max?: number | undefined }
}

/** The methods of a `pg` 8 client that the stores use. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<PgResult>
  release(destroy?: boolean): void
  on?(event: 'error', listener: (error: Error) => void): unknown
  on?(event: 'end', listener: () => void): unknown
  on?(event: 'notification', listener: (message: PgNotification) => void): unknown
}

export interface PgResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

export interface PgNotification {
  readonly payload?: string | undefined
}

export interface PgStoreOptions {
  /** The schema for the tables. It is created if it does not exist. Default: `capstan`. */
  readonly schema?: string
}

/** Checks that a value is a `pg` pool. @throws CapstanError `invalid_request` if it is not */
export function checkPool(pool: unknown, of: string): asserts pool is PgPool {
  const { query, connect } = Object(pool) as Partial<PgPool>
  if (typeof query === 'function' && typeof connect === 'function') return
  throw invalid(`${of} takes a pool, not ${kindOf(pool)}. Use new Pool({ connectionString }) of pg.`)
}

/**
 * Returns the schema's name. Default: `capstan`.
 * @throws CapstanError `invalid_request` for an invalid name
 */
export function schemaOf(options: PgStoreOptions, of: string): string {
  const use = '1 to 48 letters, digits and underscores, no digit first'
  const isName = (value: unknown) => typeof value === 'string' && /^[A-Za-z_]\w{0,47}$/.test(value)
  checkOptionNames(options, { schema: [use, isName] }, { of })
  return options.schema ?? 'capstan'
}
