import { fileURLToPath } from 'node:url'
import { startPostgres } from '../../../../scripts/postgres.mjs'
import { durable } from '../../src/dbos.js'
import type { Engine } from './engine.js'
import { killedAgent } from './killed-agent.js'

const program = fileURLToPath(new URL('dbos-worker.ts', import.meta.url))

/** DBOS on its own PostgreSQL, for an agent of `killedAgent`; undefined when PostgreSQL is not installed. */
export async function dbosEngine(origin: string, agent: string): Promise<Engine | undefined> {
  const server = await startPostgres()
  if (!server) return undefined
  const runs = durable(killedAgent(agent, origin), { database: server.url })
  return {
    runs,
    worker: (id, name) => ({
      program,
      args: [server.url, origin, id, name, agent],
    }),
    async close() {
      await runs.close()
      server.stop()
    },
  }
}
