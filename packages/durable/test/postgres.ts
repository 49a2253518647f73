import { afterAll, test as everywhere } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../scripts/postgres.mjs'

const server: PostgresServer | undefined = await startPostgres()
// Of the file that imports this, whatever it uses of it.
afterAll(() => server?.stop())

/** Tests that need a PostgreSQL; skipped where none can be had. */
export const test = everywhere.skipIf(!server)

/** A server for the tests of one file. */
export function usePostgres(): { readonly url: string; restart(): void } {
  return { url: server?.url ?? '', restart: () => server?.restart() }
}
