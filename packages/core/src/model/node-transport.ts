import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Transform } from 'node:stream'
import type { Inflate, InflateRaw } from 'node:zlib'
import { waitersOf } from '../async.js'
import { lengthOf } from '../bytes.js'
import { CapstanError } from '../errors.js'
import {
  type RequestClock,
  startClock,
  type Timeouts,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  unreachable,
} from './transport.js'

/**
 * Creates a transport over node:http, at a third of the cost of `fetch`. Undefined where node:http does not exist.
 * Modules are loaded by name, so that bundles for browsers and workers need no `node:` import.
 */
export function nodeTransport(timeouts: Timeouts, customAgent?: object): Transport | undefined {
  if (!globalThis.process?.getBuiltinModule?.('node:http')) return undefined
  let target: Target | undefined
  const send: Transport = (request) => {
    try {
      if (target?.url !== request.url) target = toTarget(request.url, customAgent)
      const opened = open(request, target, !isNode || customAgent !== undefined)
      return new Exchange(opened, request, send, timeouts).response
    } catch (error) {
      return Promise.reject(toOpeningError(error, request))
    }
  }
  return send
}

/** Whether this is Node itself. Other runtimes may read no list of headers. */
const isNode = /^(Node|$)/.test(globalThis.navigator?.userAgent ?? '')

/** How requests to one address are opened. It rarely changes. */
interface Target {
  readonly url: string
  readonly host: string
  readonly module: Pick<typeof import('node:http'), 'request' | 'Agent'>
  readonly options: RequestOptions & { readonly servername?: string }
}

function toTarget(url: string, customAgent: object | undefined): Target {
  const address = new URL(url)
  const { protocol, hostname, port, path } = process.getBuiltinModule('node:url').urlToHttpOptions(address)
  // To load node:https takes longer than a request: only addresses that need it do.
  const module = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http')
  // No other option: Node copies those of the agent for each request, and a twelfth field takes a larger copy.
  const agent = (customAgent as Agent | undefined) ?? new module.Agent({ keepAlive: true })
  const options = { method: 'POST', agent, protocol, hostname, port, path }
  // An empty server name without TLS: Node would otherwise compute it for each request.
  return {
    url,
    host: address.host,
    module,
    options: protocol === 'http:' ? { ...options, servername: '' } : options,
  }
}

/** Node stores the fields of an object one by one: a list takes less time. Agents of proxies may read what is stored. */
function open(
  { headers, body }: TransportRequest,
  { host, module, options }: Target,
  isObject: boolean,
): ClientRequest {
  const fields: OutgoingHttpHeaders = { host, ...headers, 'content-length': lengthOf(body) }
  const list: unknown[] = []
  for (const name in fields) list.push(name, fields[name])
  // Over TLS the stored host is also the name of the server.
  return module.request({ ...options, headers: isObject || headers.host ? fields : (list as never) })
}

function toOpeningError(error: unknown, { url }: TransportRequest): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_INVALID_PROTOCOL') return error
  const { protocol } = new URL(url)
  const message = `agent does not support ${protocol}// addresses. Use one of node:${protocol.slice(0, -1)}.`
  return new CapstanError('invalid_request', message, { cause: error })
}

/** One request over node:http and its response. `send` sends it again. */
class Exchange {
  readonly response: Promise<TransportResponse>
  readonly #clientRequest: ClientRequest
  readonly #request: TransportRequest
  readonly #clock: RequestClock
  readonly #abort = (reason: unknown) => this.#fail(reason)
  /** The reason for giving up the request. */
  #failure: unknown
  /** The connection's error. Without a content length, the response would otherwise seem complete. */
  #connectionError: unknown
  #reject: (error: unknown) => void = () => {}
  /** Ends the read. */
  #endReading = () => {}

  constructor(clientRequest: ClientRequest, request: TransportRequest, send: Transport, timeouts: Timeouts) {
    this.#clientRequest = clientRequest
    this.#request = request
    this.#clock = startClock(timeouts, this.#abort)
    waitersOf(request.signal).add(this.#abort)
    this.#clock.enter('connect')
    this.response = new Promise((resolve, reject) => {
      this.#reject = reject
      let isOver = false
      // Each of these events comes once: `once` would take memory for each.
      clientRequest.on('socket', (socket) => onceReady(socket, () => this.#clock.enter('firstByte')))
      clientRequest.on('response', (message) => {
        isOver = true
        try {
          resolve(this.#toResponse(message))
        } catch (error) {
          this.#release()
          clientRequest.destroy()
          reject(error)
        }
      })
      clientRequest.on('error', (error) => {
        this.#connectionError ??= error
        this.#release()
        const isOurs = isOver || this.#failure !== undefined
        // The server closed a kept connection before the request arrived: it is safe to send it again.
        const isStale = clientRequest.reusedSocket && (error as NodeJS.ErrnoException).code === 'EPIPE'
        if (isStale && !isOurs) resolve(send(request))
        else reject(this.#failure ?? unreachable(request.url, error))
        isOver = true
      })
    })
    for (const part of request.body.slice(0, -1)) clientRequest.write(part)
    clientRequest.end(request.body.at(-1))
  }

  #toResponse(message: IncomingMessage): TransportResponse {
    this.#clock.enter('idle')
    const body = decompressed(message)
    return {
      status: message.statusCode ?? 0,
      headers: () => message.rawHeaders,
      header: (name) => [message.headers[name] ?? []].flat().join(', ') || null,
      leave: () => this.#leave(body),
      read: (take) => this.#read(body, take),
    }
  }

  #read(body: Readable, take: (bytes: Uint8Array) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (failure?: unknown) => {
        this.#release()
        if (failure === undefined) resolve()
        else reject(failure)
      }
      const broken = (error: unknown) => end(this.#failure ?? error)
      this.#endReading = end
      body.on('data', (bytes: Uint8Array) => {
        this.#clock.enter('idle')
        try {
          if (!take(bytes)) this.#leave(body)
        } catch (error) {
          this.#clientRequest.destroy()
          body.destroy()
          end(error)
        }
      })
      body.on('end', () => broken(this.#connectionError))
      body.on('error', broken)
      body.on('close', () => {
        if (!body.readableEnded) broken(new Error('the connection was closed'))
      })
    })
  }

  /** Ends the read early. A server that finishes within 100 ms keeps its connection, otherwise it is closed. */
  #leave(body: Readable): void {
    this.#endReading()
    body.removeAllListeners('data')
    body.on('error', () => {})
    body.resume()
    const closeTimer = setTimeout(() => this.#clientRequest.destroy(), 100)
    body.once('close', () => clearTimeout(closeTimer))
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    this.#release()
    // A request that waits for a socket emits no event when it is destroyed.
    this.#reject(error)
    this.#clientRequest.destroy(error instanceof Error ? error : new Error('aborted'))
  }

  #release(): void {
    this.#clock.stop()
    waitersOf(this.#request.signal).remove(this.#abort)
  }
}

/** Calls `then` once a socket is writable: connected, and over TLS after the handshake. */
function onceReady(socket: Socket & { secureConnecting?: boolean }, then: () => void): void {
  if (socket.secureConnecting) socket.once('secureConnect', then)
  else if (socket.connecting) socket.once('connect', then)
  else then()
}

/**
 * Decompresses a response body while it arrives. Compression is not requested, but some servers compress anyway.
 * @throws CapstanError `unsupported` for an encoding other than gzip, deflate or br
 */
function decompressed(message: IncomingMessage): Readable {
  const header = message.headers['content-encoding'] ?? ''
  const encodings = header.split(',').map((one) => one.trim().toLowerCase())
  return encodings.reduceRight<Readable>(decompress, message)
}

function decompress(body: Readable, encoding: string): Readable {
  if (noEncoding.test(encoding)) return body
  const { pipeline } = process.getBuiltinModule('node:stream')
  // Errors reach the reader through the stream itself.
  return pipeline(body, createDecompressor(encoding), () => {})
}

/** Some servers send a charset here, which belongs into the content type. */
const noEncoding = /^(|identity|none|utf-?8)$/

/** Missing compression trailers are accepted: the content itself shows whether the response is complete. */
function createDecompressor(encoding: string): Transform {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const flushing = (flush: number) => ({ flush, finishFlush: flush })
  const options = flushing(Z_SYNC_FLUSH)
  if (/^(x-)?gzip$/.test(encoding)) return zlib.createUnzip(options)
  if (encoding === 'deflate') {
    return createInflateStream((isWrapped) => zlib[isWrapped ? 'createInflate' : 'createInflateRaw'](options))
  }
  if (encoding === 'br') return zlib.createBrotliDecompress(flushing(BROTLI_OPERATION_FLUSH))
  const message = `The model server compressed its response as "${encoding}". Turn that off there, or set fetch.`
  throw new CapstanError('unsupported', message, { evidence: { encoding } })
}

/** "deflate" comes with the zlib wrapper or, against the standard, without. The first byte shows which. */
function createInflateStream(create: (isWrapped: boolean) => Inflate | InflateRaw): Transform {
  const { Transform } = process.getBuiltinModule('node:stream')
  let inflate: Inflate | InflateRaw | undefined
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      inflate ??= create(((chunk[0] ?? 0) & 15) === 8)
        .on('data', (bytes) => this.push(bytes))
        .on('error', (error) => this.destroy(error))
      inflate.write(chunk, done)
    },
    flush(done) {
      if (inflate) inflate.once('end', done).end()
      else done()
    },
    destroy(error, done) {
      inflate?.destroy()
      done(error)
    },
  })
}
