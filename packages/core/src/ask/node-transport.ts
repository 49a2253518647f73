import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { decompressed } from './decompressed.js'
import { RequestClock, type Timeouts } from './timeouts.js'
import { type Transport, type TransportRequest, type TransportResponse, unreachable } from './transport.js'

/** A node:http agent, as far as its type need be known here: declarations must not ask for Node's own. */
export interface HttpAgent {
  destroy(): void
}

/**
 * A transport over node:http, at a third of what `fetch` costs; undefined where there is none. The modules are
 * asked for by name, so that bundles for browsers and workers need no `node:` import.
 */
export function nodeTransport(timeouts: Timeouts, given?: HttpAgent): Transport | undefined {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  const https = globalThis.process?.getBuiltinModule?.('node:https')
  if (!http || !https) return undefined
  const agent = given as Agent | undefined
  const plain = agent ?? new http.Agent({ keepAlive: true, maxFreeSockets: 256 })
  const secure = agent ?? new https.Agent({ keepAlive: true, maxFreeSockets: 256 })
  const open = ({ url, headers, body }: TransportRequest) => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } }
    const isSecure = url.startsWith('https:')
    return isSecure
      ? https.request(url, { ...options, agent: secure })
      : http.request(url, { ...options, agent: plain })
  }
  return async (request) => {
    try {
      return await new Exchange(open(request), request, timeouts).response
    } catch (error) {
      if (!(error instanceof Unsent)) throw error
      return new Exchange(open(request), request, timeouts).response
    }
  }
}

/** A kept connection that the other side had closed before a byte of the request was on it: sending anew sends once. */
class Unsent extends Error {}

/** One request and its answer. */
class Exchange {
  readonly response: Promise<TransportResponse>
  readonly #sent: ClientRequest
  readonly #request: TransportRequest
  readonly #clock: RequestClock
  readonly #abort = () => this.#fail(this.#request.signal.reason)
  #failure: unknown
  /** Ends the reading. */
  #left = () => {}

  constructor(sent: ClientRequest, request: TransportRequest, timeouts: Timeouts) {
    this.#sent = sent
    this.#request = request
    this.#clock = new RequestClock(timeouts, (error) => this.#fail(error))
    request.signal.addEventListener('abort', this.#abort, { once: true })
    this.response = new Promise((resolve, reject) => {
      sent.once('socket', (socket) => {
        if (!socket.connecting) return this.#clock.enter('firstByte')
        this.#clock.enter('connect')
        socket.once('connect', () => this.#clock.enter('firstByte'))
      })
      sent.once('response', (answer) => {
        try {
          resolve(this.#toResponse(answer))
        } catch (error) {
          this.#release()
          sent.destroy()
          reject(error)
        }
      })
      sent.on('error', (error) => {
        this.#release()
        reject(this.#toError(error))
      })
    })
    sent.end(request.body)
  }

  #toResponse(answer: IncomingMessage): TransportResponse {
    this.#clock.enter('idle')
    const body = decompressed(answer)
    return {
      status: answer.statusCode ?? 0,
      header: (name) => [answer.headers[name] ?? []].flat().join(', ') || null,
      leave: () => this.#leave(body),
      read: (take) => this.#read(body, take).finally(() => this.#release()),
    }
  }

  #read(body: Readable, take: (bytes: Uint8Array) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const broken = (error: unknown) => reject(this.#failure ?? error)
      body.on('data', (bytes: Uint8Array) => {
        this.#clock.enter('idle')
        try {
          if (!take(bytes)) this.#leave(body)
        } catch (error) {
          this.#sent.destroy()
          reject(error)
        }
      })
      body.once('end', resolve)
      this.#left = resolve
      body.once('error', broken)
      body.once('close', () => broken(new Error('the connection was closed')))
    })
  }

  /** What is wanted is read: a server that ends now keeps its connection, one that stays open loses it. */
  #leave(body: Readable): void {
    this.#left()
    body.removeAllListeners('data')
    body.on('error', () => {})
    body.resume()
    const hangUp = setTimeout(() => this.#sent.destroy(), 100)
    body.once('close', () => clearTimeout(hangUp))
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    this.#sent.destroy(error instanceof Error ? error : new Error('aborted'))
  }

  #toError(error: NodeJS.ErrnoException): unknown {
    if (this.#failure !== undefined) return this.#failure
    if (this.#sent.reusedSocket && error.code === 'EPIPE') return new Unsent()
    return unreachable(this.#request.url, error)
  }

  #release(): void {
    this.#clock.stop()
    this.#request.signal.removeEventListener('abort', this.#abort)
  }
}
