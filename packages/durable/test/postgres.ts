import { Client } from 'pg'
import { afterAll, beforeAll, test as everywhere, inject } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../scripts/postgres.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'

const server = inject('postgres')

/** Registers tests that need PostgreSQL. They are skipped if it is not installed. */
export const test = everywhere.skipIf(!server)

/** Registers tests that need PostgreSQL and run only in `.ci/long`. */
export const slowPostgresTest = server ? slowTest : test

/** Returns a database for the tests in one file, on the test run's server. */
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

/** Returns a server for the tests in one file, which may stop and restart it. */
export async function ownPostgres(): Promise<Omit<PostgresServer, 'stop'>> {
  const own = await startPostgres()
  afterAll(() => own?.stop())
  return { url: own?.url ?? '', halt: () => own?.halt(), start: () => own?.start() }
}
