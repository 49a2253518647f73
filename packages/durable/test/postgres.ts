import { afterAll, test as everywhere } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../scripts/postgres.mjs'

const server: PostgresServer | undefined = await startPostgres()

/** Tests that need a PostgreSQL; skipped where none can be had. */
export const test = everywhere.skipIf(!server)

/** A server for the tests of one file. */
export function usePostgres(): { readonly url: string; restart(): void } {
  afterAll(() => server?.stop())
  return { url: server?.url ?? '', restart: () => server?.restart() }
}
