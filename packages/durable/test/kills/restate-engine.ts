import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { node24, startRestate } from '../../../../scripts/engines.mjs'
import { durable } from '../../src/restate.js'
import type { Engine } from './engine.js'
import { killedAgent } from './killed-agent.js'

const program = fileURLToPath(new URL('restate-worker.ts', import.meta.url))

/**
 * A Restate server with a proxy in front of its workers, for an agent of `killedAgent`; undefined when Restate is not
 * installed.
 */
export async function restateEngine(origin: string, agent: string): Promise<Engine | undefined> {
  const node = node24()
  const server = node && (await startRestate())
  if (!node || !server) return undefined
  const { ingress, admin } = server
  const door = await startDoor()
  const runs = durable(killedAgent(agent, origin), { ingress, admin })
  let isKnown = false
  return {
    runs,
    worker: (id) => ({
      program,
      node,
      args: [ingress, admin, origin, door.url, id, agent],
      async up(said) {
        door.add(Number(/ready (\d+)/.exec(said)?.[1]))
        if (isKnown) return
        isKnown = true
        const body = JSON.stringify({ uri: door.url, force: true })
        const headers = { 'content-type': 'application/json' }
        const { ok, status } = await fetch(`${admin}/deployments`, { method: 'POST', headers, body })
        if (!ok) throw new Error(`Restate rejected the registration of the workers: ${status}`)
      },
    }),
    async close() {
      await runs.close()
      door.close()
      await server.stop()
    },
  }
}

/** A proxy that gives changing workers a single URL. Each connection goes to a worker that is alive. */
async function startDoor() {
  const ports: number[] = []
  const open = new Set<Socket>()
  const server = createServer(async (inside) => {
    open.add(inside.on('close', () => open.delete(inside)).on('error', () => {}))
    for (const port of [...ports]) {
      const outside = connect(port, '127.0.0.1')
      const isUp = await once(outside, 'connect').then(
        () => true,
        () => false,
      )
      if (!isUp) {
        ports.splice(ports.indexOf(port), 1)
        continue
      }
      // The next connection uses another worker.
      ports.push(...ports.splice(0, 1))
      inside.pipe(outside).pipe(inside)
      outside.on('error', () => inside.destroy()).on('close', () => inside.destroy())
      inside.on('close', () => outside.destroy())
      return
    }
    inside.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    add: (worker: number) => ports.push(worker),
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
