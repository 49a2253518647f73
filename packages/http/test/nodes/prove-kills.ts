// Kills processes that serve an agent, while clients read its runs and decide on its calls. No event is lost or comes
// twice, no effect comes twice, and each question is answered. The store is a folder, or PostgreSQL.
//
//   node --conditions=development --import=tsx packages/http/test/nodes/prove-kills.ts 500 3 postgres

import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../../../../scripts/postgres.mjs'
import { Clients, type Counts, printProof } from './clients.js'
import { Cluster } from './cluster.js'

/** Runs clients against three processes until this many of them were killed, and what is open has ended. */
export async function proveKills(
  kills: number,
  count = 3,
  postgres?: string,
): Promise<Counts & { kills: number }> {
  await using cluster = await Cluster.start(postgres)
  const clients = new Clients(cluster, count)
  for (let killed = 0; killed < kills; killed++) {
    await sleep(100 + Math.random() * 500)
    await cluster.nodes[Math.floor(Math.random() * cluster.nodes.length)]?.restart()
  }
  return { kills, ...(await clients.end()) }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [kills = 100, clients = 3, store = 'folder'] = process.argv.slice(2)
  const server = store === 'postgres' ? await startPostgres() : undefined
  printProof(await proveKills(Number(kills), Number(clients), server?.url))
  server?.stop()
}
