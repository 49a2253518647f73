import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What was asked for under one key, over all attempts. */
export interface Entry {
  attempts: number
  /** A service that drops doubles has one, however often it is asked. */
  effects: number
  readonly argumentSets: Set<string>
  readonly result: string
}

/** A service outside: what it was asked, by whom it does not know. It outlives all workers. */
export interface Ledger {
  readonly origin: string
  readonly entries: ReadonlyMap<string, Entry>
  /** Answers of the model that were asked for. */
  modelCalls(): number
  /** What was begun and is not over. */
  inFlight(): number
  close(): void
}

export async function startLedger(random: () => number): Promise<Ledger> {
  const entries = new Map<string, Entry>()
  let asked = 0
  let inFlight = 0
  const server = createServer(async (request, response) => {
    const { key, args } = (await json(request)) as { readonly key: string; readonly args: unknown }
    inFlight++
    let answer = ''
    if (request.url === '/model') asked++
    else answer = note(entries, key, args)
    const isOver = once(response, 'close').then(() => inFlight--)
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
    inFlight: () => inFlight,
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
