import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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
