import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** One request. Its times are from `performance.now()`. */
interface Attempt {
  readonly worker: string
  readonly began: number
  /** Absent until the complete response has been sent. */
  ended?: number
}

/** The requests under one key, over all attempts. */
export interface Entry {
  attempts: number
  readonly history: Attempt[]
  /** The number of effects. 1 if the service ignores repeated keys. */
  effects: number
  readonly argumentSets: Set<string>
  readonly result: string
}

/** An external service that records its requests and survives all workers. */
export interface Ledger {
  readonly origin: string
  readonly entries: ReadonlyMap<string, Entry>
  /** The number of model requests. */
  modelCalls(): number
  /** Returns how many of a worker's requests have no response yet. */
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
    const attempt: Attempt = { worker, began: performance.now() }
    response.once('finish', () => {
      attempt.ended = performance.now()
    })
    if (request.url === '/model') asked++
    else answer = note(entries, { key, args, attempt })
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

interface Request {
  readonly key: string
  readonly args: unknown
  readonly attempt: Attempt
}

function note(entries: Map<string, Entry>, { key, args, attempt }: Request): string {
  const hash = createHash('sha256').update(JSON.stringify(args)).digest('hex')
  const entry = entries.get(key) ?? {
    attempts: 0,
    history: [],
    effects: 1,
    argumentSets: new Set(),
    result: hash.slice(0, 8),
  }
  entry.attempts++
  entry.history.push(attempt)
  entry.argumentSets.add(hash)
  entries.set(key, entry)
  return entry.result
}
