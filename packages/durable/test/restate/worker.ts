// A worker in a separate process, to be killed: `worker.ts INGRESS ADMIN PORT FILE`. Its tools append a line to the file
// when they start; calls to `slow` never end.
import { appendFileSync } from 'node:fs'
import { startWorker } from '@capstan/durable/restate'
import { agentsIn } from './agents.js'

const [, , ingress = '', admin = '', port = '', file = ''] = process.argv
const world = {
  note: (line: string) => appendFileSync(file, `${line}\n`),
  hold: () => new Promise(() => undefined),
}
const { url } = await startWorker(Object.values(agentsIn(world, { ingress, admin })), { port: Number(port) })
console.log(url)
