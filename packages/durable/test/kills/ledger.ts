import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** The requests under one key, over all attempts. */
interface Entry {
  attempts: number
  /** Number of effects: 1 for a service that ignores repeated keys. */
  effects: number
  readonly argumentSets: Set<string>
  readonly result: string
}

/** An external service that records its requests and survives all workers. */
export interface Ledger {
  readonly origin: string
  readonly entries: ReadonlyMap<string, Entry>
  /** Number of model requests. */
  modelCalls(): number
  /** Requests of a worker in flight. */
  inFlight(worker: string): number
  close(): void
}

export async function startLedger(random: () => number): Promise<Ledger> {
  const entries = new Map<string, Entry>()
  let asked = 0
  const inFlight = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { key, args } = (await json(request)) as { readonly key: string; readonly args: unknown }
    const worker = String(request.headers['x-worker'])
    const add = (one: number) => inFlight.set(worker, (inFlight.get(worker) ?? 0) + one)
    add(1)
    let answer = ''
    if (request.url === '/model') asked++
    else answer = note(entries, key, args)
    const isOver = once(response, 'close').then(() => add(-1))
    setTimeout(() => response.end(answer), 5 + random() * 30)
    await isOver
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    entries,
    modelCalls: () => asked,
    inFlight: (worker) => inFlight.get(worker) ?? 0,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function note(entries: Map<string, Entry>, key: string, args: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(args)).digest('hex')
  const entry = entries.get(key) ?? {
    attempts: 0,
    effects: 1,
    argumentSets: new Set(),
    result: hash.slice(0, 8),
  }
  entry.attempts++
  entry.argumentSets.add(hash)
  entries.set(key, entry)
  return entry.result
}
