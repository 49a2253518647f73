// PostgreSQL is away for some seconds, while clients read runs and decide on calls. Nothing is told that is not stored,
// nothing runs that was not decided, and no effect comes twice.
//
//   node --conditions=development --import=tsx packages/http/test/nodes/prove-outage.ts 5

import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../../../scripts/postgres.mjs'
import { Clients, printProof } from './clients.js'
import { Cluster } from './cluster.js'

const [seconds = 5] = process.argv.slice(2)
const server = await startPostgres()
if (server) {
  await using cluster = await Cluster.start(server.url)
  const clients = new Clients(cluster, 5)
  await sleep(2000)
  server.halt()
  const before = (await cluster.effects()).length
  await sleep(Number(seconds) * 1000)
  const during = (await cluster.effects()).length - before
  server.start()
  await sleep(3000)
  // A run that could not read its conversation fails, and says so.
  printProof({ during, ...(await clients.end()) }, { mayFail: true })
}
server?.stop()
