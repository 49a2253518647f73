import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../scripts/postgres.mjs'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the PostgreSQL of this run; empty where none can be had. */
    postgres: string
  }
}

/** Starts one PostgreSQL for all files of a test run. */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const server = await startPostgres()
  provide('postgres', server?.url ?? '')
  return () => server?.stop()
}
