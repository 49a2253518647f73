// Replaces each of three processes that serve an agent, one after another, as a deployment does, while clients chat with
// it. No reply fails and no effect comes twice.
//
//   node --conditions=development --import=tsx packages/http/test/nodes/prove-restart.ts 100 postgres

import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../../../scripts/postgres.mjs'
import { Clients, printProof } from './clients.js'
import { Cluster } from './cluster.js'

const [count = 100, store = 'folder'] = process.argv.slice(2)
const server = store === 'postgres' ? await startPostgres() : undefined
{
  await using cluster = await Cluster.start(server?.url)
  const clients = new Clients(cluster, Number(count))
  let replaced = 0
  for (const node of [...cluster.nodes, ...cluster.nodes]) {
    await sleep(2000)
    await node.replace()
    replaced += 1
  }
  printProof({ replaced, ...(await clients.end()) })
}
server?.stop()
