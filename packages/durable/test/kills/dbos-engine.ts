import { fileURLToPath } from 'node:url'
import { startPostgres } from '../../../../scripts/postgres.mjs'
import { durable } from '../../src/dbos.js'
import { countedAgent } from './counted-agent.js'
import type { Engine } from './engine.js'

const program = fileURLToPath(new URL('dbos-worker.ts', import.meta.url))

/** DBOS on its own PostgreSQL; undefined when PostgreSQL is not installed. */
export async function dbosEngine(origin: string, journal: boolean): Promise<Engine | undefined> {
  const server = await startPostgres()
  if (!server) return undefined
  const runs = durable(countedAgent(origin), { database: server.url })
  return {
    runs,
    worker: (id, name) => ({
      program,
      args: [server.url, origin, id, name, ...(journal ? [] : ['--no-journal'])],
    }),
    async close() {
      await runs.close()
      server.stop()
    },
  }
}
