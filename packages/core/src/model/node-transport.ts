import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Transform } from 'node:stream'
import type { Inflate, InflateRaw } from 'node:zlib'
import { CapstanError } from '../errors.js'
import {
  RequestClock,
  type Timeouts,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  unreachable,
} from './transport.js'

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
  const targetOf = targets()
  const open = ({ url, headers, body }: TransportRequest) => {
    const target = targetOf(url)
    const isSecure = target.protocol === 'https:'
    const { request } = isSecure ? https : http
    return request({
      ...target,
      method: 'POST',
      headers: { ...headers, 'content-length': lengthOf(body) },
      agent: isSecure ? secure : plain,
    })
  }
  return async (request) => {
    for (;;) {
      try {
        return await new Exchange(opened(open, request), request, timeouts).response
      } catch (error) {
        // Each time one kept connection fewer is left.
        if (!(error instanceof StaleConnectionError)) throw error
        request.signal.throwIfAborted()
      }
    }
  }
}

type Target = Pick<RequestOptions, 'protocol' | 'hostname' | 'port' | 'path'> & { servername?: string }

/** Takes addresses apart, an address that is the last one again only once. */
function targets(): (url: string) => Target {
  const { urlToHttpOptions } = process.getBuiltinModule('node:url')
  let known = ''
  let target: Target = {}
  return (url) => {
    if (url !== known) {
      const { protocol, hostname, port, path } = urlToHttpOptions(new URL(url)) as Target
      // Without TLS nobody asks for a server's name: else it would be worked out for each request.
      target = { protocol, hostname, port, path, ...(protocol === 'http:' ? { servername: '' } : {}) }
      known = url
    }
    return target
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

function opened(
  open: (request: TransportRequest) => ClientRequest,
  request: TransportRequest,
): ClientRequest {
  try {
    return open(request)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_INVALID_PROTOCOL') throw error
    const message = `The agent is not for ${new URL(request.url).protocol}// addresses. Give one of node:https for https, of node:http for http.`
    throw new CapstanError('invalid_request', message, { cause: error })
  }
}

/** A kept connection that the other side had closed before a byte of the request was on it: sending anew sends once. */
class StaleConnectionError extends Error {}

/** One request over node:http, and its answer. `response` rejects with `Unsent` where it may be sent again. */
class Exchange {
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
    if (this.#sent.reusedSocket && error.code === 'EPIPE') return new StaleConnectionError()
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

/**
 * The body of an answer with its `content-encoding` undone as it comes: nobody asks for one, and some servers
 * compress all the same. @throws CapstanError `unsupported` for one that is not gzip, deflate or br
 */
function decompressed(answer: IncomingMessage): Readable {
  if (!answer.rawHeaders.some(isEncoding)) return answer
  const given = answer.headers['content-encoding'] ?? ''
  const encodings = given.split(',').map((one) => one.trim().toLowerCase())
  return encodings.reduceRight<Readable>(undo, answer)
}

/** Headers are put together when they are first asked for: mostly that is never. */
function isEncoding(name: string): boolean {
  return name.length === encodingName.length && name.toLowerCase() === encodingName
}

const encodingName = 'content-encoding'

function undo(body: Readable, encoding: string): Readable {
  if (isNone.test(encoding)) return body
  const { pipeline } = process.getBuiltinModule('node:stream')
  return pipeline(body, toDecompression(encoding), ignore)
}

/** Some servers write there what belongs into the type. */
const isNone = /^(|identity|none|utf-?8)$/

/** Whether an answer is whole its content tells: a compression that was not closed loses nothing. */
function toDecompression(encoding: string): Transform {
  const zlib = process.getBuiltinModule('node:zlib')
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
  const options = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }
  if (/^(x-)?gzip$/.test(encoding)) return zlib.createUnzip(options)
  if (encoding === 'deflate') {
    return inflation((isWrapped) =>
      isWrapped ? zlib.createInflate(options) : zlib.createInflateRaw(options),
    )
  }
  if (encoding === 'br') {
    return zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH })
  }
  const message = `The model server sent its answer as "${encoding}", which was not asked for. Turn that off there, or give chatModel a fetch.`
  throw new CapstanError('unsupported', message, { evidence: { encoding } })
}

/** "deflate" comes with the wrapping of zlib or, against the rules, without: the first byte tells. */
function inflation(create: (isWrapped: boolean) => Inflate | InflateRaw): Transform {
  const { Transform } = process.getBuiltinModule('node:stream')
  let inflate: Inflate | InflateRaw | undefined
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      inflate ??= create(((piece[0] ?? 0) & 15) === 8)
        .on('data', (bytes) => this.push(bytes))
        .on('error', (error) => this.destroy(error))
      inflate.write(piece, done)
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

/** The reader is told by the stream itself. */
function ignore(): void {}
