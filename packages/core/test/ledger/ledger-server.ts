import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CapstanError, type LedgerStore } from '../../src/index.js'

/** A ledger behind a loopback server, for processes that share it. */
export interface LedgerServer extends AsyncDisposable {
  readonly address: string
}

/** `reserved` is called after each reservation, before its answer is sent. */
export async function startLedgerServer(
  store: LedgerStore,
  reserved: (id: string) => void = () => {},
): Promise<LedgerServer> {
  const server = createServer(async (request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    let text = ''
    try {
      for await (const piece of request) text += piece
    } catch {
      return
    }
    const { name, given } = JSON.parse(text)
    const answer = name === 'reserve' ? await store.reserve(given[0]) : await store.settle(given[0], given[1])
    if (name === 'reserve') reserved(request.headers['x-worker'] as string)
    response.end(JSON.stringify({ answer }))
  })
  // Its clients are slow when the machine is.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** The ledger behind a server. What may have been lost is sent again: a ledger counts each id once. */
export function ledgerAt(address: string, worker: string): LedgerStore {
  const call = async (name: string, given: readonly unknown[]) => {
    const init = { method: 'POST', body: JSON.stringify({ name, given }), headers: { 'x-worker': worker } }
    const response = await fetch(address, init).catch(() => fetch(address, init))
    if (!response.ok) throw new CapstanError('network', `The ledger answered ${response.status}.`)
    return (await response.json()).answer
  }
  return {
    reserve: (reservation) => call('reserve', [reservation]),
    settle: (id, spent) => call('settle', [id, spent]),
  }
}
