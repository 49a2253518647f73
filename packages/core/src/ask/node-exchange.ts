import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { decompressed } from './decompressed.js'
import { RequestClock, type Timeouts } from './timeouts.js'
import { type TransportRequest, type TransportResponse, unreachable } from './transport.js'

/** A kept connection that the other side had closed before a byte of the request was on it: sending anew sends once. */
export class Unsent extends Error {}

/** One request over node:http, and its answer. `response` rejects with `Unsent` where it may be sent again. */
export class Exchange {
  readonly response: Promise<TransportResponse>
  readonly #sent: ClientRequest
  readonly #request: TransportRequest
  readonly #clock: RequestClock
  readonly #abort = () => this.#fail(this.#request.signal.reason)
  /** Why the request was given up. */
  #failure: unknown
  /** What befell the connection; without a length it makes the answer seem to end. */
  #break: unknown
  #reject: (error: unknown) => void = () => {}
  /** Ends the reading. */
  #left = () => {}

  constructor(sent: ClientRequest, request: TransportRequest, timeouts: Timeouts) {
    this.#sent = sent
    this.#request = request
    this.#clock = new RequestClock(timeouts, (error) => this.#fail(error))
    request.signal.addEventListener('abort', this.#abort, { once: true })
    this.#clock.enter('connect')
    this.response = new Promise((resolve, reject) => {
      this.#reject = reject
      sent.once('socket', (socket) => onceReady(socket, () => this.#clock.enter('firstByte')))
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
        this.#break ??= error
        this.#release()
        reject(this.#toError(error))
      })
    })
    for (const part of request.body.slice(0, -1)) sent.write(part)
    sent.end(request.body.at(-1))
  }

  #toResponse(answer: IncomingMessage): TransportResponse {
    this.#clock.enter('idle')
    const body = decompressed(answer)
    return {
      status: answer.statusCode ?? 0,
      header: (name) => [answer.headers[name] ?? []].flat().join(', ') || null,
      leave: () => this.#leave(body),
      read: (take) => this.#read(body, take),
    }
  }

  #read(body: Readable, take: (bytes: Uint8Array) => boolean): Promise<void> {
    return new Promise((settle, fail) => {
      const resolve = () => {
        this.#release()
        settle()
      }
      const reject = (error: unknown) => {
        this.#release()
        fail(error)
      }
      const broken = (error: unknown) => reject(this.#failure ?? error)
      body.on('data', (bytes: Uint8Array) => {
        this.#clock.enter('idle')
        try {
          if (!take(bytes)) this.#leave(body)
        } catch (error) {
          this.#sent.destroy()
          body.destroy()
          reject(error)
        }
      })
      body.once('end', () => {
        const why = this.#failure ?? this.#break
        if (why === undefined) resolve()
        else reject(why)
      })
      this.#left = resolve
      body.once('error', broken)
      body.once('close', () => {
        if (!body.readableEnded) broken(new Error('the connection was closed'))
      })
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
    this.#release()
    // A request that waits for a socket says no word of its end.
    this.#reject(error)
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

/** A socket that can be written to: connected, and over TLS with the handshake done. */
function onceReady(socket: Socket & { secureConnecting?: boolean }, then: () => void): void {
  if (socket.secureConnecting) socket.once('secureConnect', then)
  else if (socket.connecting) socket.once('connect', then)
  else then()
}
