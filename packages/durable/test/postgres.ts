import { Client } from 'pg'
import { afterAll, beforeAll, test as everywhere, inject } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../scripts/postgres.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'

const server = inject('postgres')

/** Tests that need PostgreSQL; skipped when it is not installed. */
export const test = everywhere.skipIf(!server)

/** Those of them that run in `.ci/long` only. */
export const slowPostgresTest = server ? slowTest : test

/** A database for the tests of one file, on the server of the run. */
export function usePostgres(): { readonly url: string } {
  if (!server) return { url: '' }
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  beforeAll(async () => {
    const client = new Client({ connectionString: server })
    await client.connect()
    await client.query(`CREATE DATABASE ${name}`)
    await client.end()
  })
  return { url: Object.assign(new URL(server), { pathname: `/${name}` }).href }
}

/** A server for the tests of one file, which may end it and start it again. */
export async function ownPostgres(): Promise<Omit<PostgresServer, 'stop'>> {
  const own = await startPostgres()
  afterAll(() => own?.stop())
  return { url: own?.url ?? '', halt: () => own?.halt(), start: () => own?.start() }
}
