import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { cpuTime } from '../../packages/core/test/cpu-time.js'

/** Four times the input may cost this many times the time. Work that grows with the square costs 16 times. */
const most = 6

/** Rounds at most: the least time of each size counts, and the first one translates the code. */
const rounds = 8

/**
 * Expects that work grows with its input: `make` prepares it for `n` and for `4 * n` items. The processor time of this
 * process is measured, so what other processes do counts little.
 */
export async function expectLinear(
  make: (n: number) => (() => unknown) | Promise<() => unknown>,
  n: number,
): Promise<void> {
  const [few, many] = [await make(n), await make(4 * n)]
  let [little, much] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < rounds; round++) {
    // First the greater one: its first round pays for the translation.
    much = Math.min(much, await cpuTime(many))
    little = Math.min(little, await cpuTime(few))
    if (much <= most * little) return
  }
  expect(much / little, `${much} ms of ${4 * n}, ${little} ms of ${n}`).toBeLessThanOrEqual(most)
}

/** Returns `n` values. */
export function many<Value>(n: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: n }, (_, at) => make(at))
}

/** A server on loopback that answers each request with the bytes of its path. */
export interface BodyServer extends AsyncDisposable {
  /** Serves a JSON body, or events, and returns the base URL of a model that gets it. */
  serve(body: object | readonly (object | string)[]): string
}

export async function startBodyServer(): Promise<BodyServer> {
  const bodies: { readonly bytes: Buffer; readonly type: string }[] = []
  const server = createServer((request, response) => {
    const { bytes, type } = bodies[Number(request.url?.split('/')[1])] ?? { bytes: '', type: 'text/plain' }
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': type })
      response.end(bytes)
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    serve(body) {
      const isStream = Array.isArray(body)
      const text = isStream ? body.map(toEvent).join('') : JSON.stringify(body)
      const type = isStream ? 'text/event-stream' : 'application/json'
      bodies.push({ bytes: Buffer.from(text), type })
      return `http://127.0.0.1:${port}/${bodies.length - 1}/v1`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function toEvent(event: object | string): string {
  return typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`
}
