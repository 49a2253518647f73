// restate-worker.ts INGRESS ADMIN ORIGIN URL ID AGENT: executes runs until it is killed; prints its port.
import { createServer } from 'node:net'
import { durable, startWorker } from '../../src/restate.js'
import { killedAgent } from './killed-agent.js'

const [ingress = '', admin = '', origin = '', url = '', id = '', agent = ''] = process.argv.slice(2)
const runs = durable(killedAgent(agent, origin, id), {
  ingress,
  admin,
  retryMs: { first: 50, longest: 500 },
  maxAttempts: 10_000,
})
const port = await freePort()
await startWorker([runs], { port, url, register: false })
process.stdout.write(`ready ${port}\n`)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
