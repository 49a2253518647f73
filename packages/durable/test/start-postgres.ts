import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../scripts/postgres.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of this test run's PostgreSQL. Empty if there is none. */
    postgres: string
  }
}

/** Starts one PostgreSQL server for all files of a test run. */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const server = await startPostgres()
  provide('postgres', server?.url ?? '')
  return () => server?.stop()
}
