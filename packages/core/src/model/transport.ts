import type { Agent, ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable, Transform } from 'node:stream'
import type { Inflate, InflateRaw } from 'node:zlib'
import { waitersOf } from '../async.js'
import { lengthOf } from '../bytes.js'
import { badResponse, CapstanError, messageOf } from '../errors.js'
import { eachOf, isString, nodeModule, withoutUndefined } from '../json.js'
import { checkModelOptions, type OptionKind } from '../option-names.js'
import type { Transport, TransportRequest, TransportResponse } from '../types/model.js'

/** The default maximum size of a response: 64 MiB. */
export const defaultMaxBytes = 64 * 2 ** 20

/** Time limits of one request in milliseconds. `Infinity` removes a limit. */
export interface Timeouts {
  /**
   * Time until the request can be written: waiting for the agent, the connection and its TLS handshake. Default 10 s.
   * Does not apply with `fetch`, which cannot measure it.
   */
  readonly connect: number
  /**
   * Time from that point until the first byte of the response. Default 300 s: some servers send nothing while the model
   * thinks.
   */
  readonly firstByte: number
  /** Time between two consecutive pieces of the response. Default 120 s. */
  readonly idle: number
  /** Time for the entire request. Default 600 s. */
  readonly total: number
}

const defaults: Timeouts = { connect: 10_000, firstByte: 300_000, idle: 120_000, total: 600_000 }

/**
 * Fills in the default timeouts. A number limits the entire request.
 * @throws CapstanError `invalid_request` for a value that is not a positive number
 */
export function toTimeouts(given: number | Partial<Timeouts> = {}): Timeouts {
  const phases = typeof given === 'object' ? given : { total: given }
  checkModelOptions(phases, eachOf('connect firstByte idle total', milliseconds), { of: 'timeoutMs' })
  return { ...defaults, ...withoutUndefined(phases) }
}

const milliseconds: OptionKind = [
  'a number above 0, or Infinity',
  (value) => typeof value === 'number' && value > 0,
]

/** Enforces the time limits of one request. */
export interface RequestClock {
  /** Starts a phase and ends the previous one. */
  enter(phase: Exclude<keyof Timeouts, 'total'>): void
  stop(): void
}

/**
 * Starts a request's clock. `onTimeout` is called at most once. A timer is reused if it fires early enough, because
 * every piece of a response starts a phase.
 */
export function startClock(timeouts: Timeouts, onTimeout: (error: CapstanError) => void): RequestClock {
  const lastEnd = performance.now() + timeouts.total
  let phase: keyof Timeouts | undefined = 'total'
  let end = lastEnd
  let firesAt = Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  const schedule = (now: number) => {
    clearTimeout(timer)
    firesAt = Math.min(end, now + maxTimerMs)
    timer = setTimeout(check, Math.ceil(firesAt - now))
  }
  const check = () => {
    firesAt = Infinity
    const now = performance.now()
    if (now < end) schedule(now)
    else if (phase) {
      const ms = timeouts[phase]
      const message = `${timeoutTexts[phase]} within ${ms} ms (timeoutMs.${phase}). No tool ran.`
      onTimeout(badResponse(message, { phase, ms }, 'timeout'))
    }
  }
  return {
    enter(next) {
      if (!phase) return
      const now = performance.now()
      end = now + timeouts[next]
      phase = end < lastEnd ? next : 'total'
      end = Math.min(end, lastEnd)
      if (end < firesAt) schedule(now)
    },
    stop() {
      phase = undefined
      clearTimeout(timer)
    },
  }
}

/** 12 days. A timer with a much longer delay would fire immediately. */
const maxTimerMs = 2 ** 30

const timeoutTexts = {
  connect: 'The request was not sent',
  firstByte: 'The model server sent nothing',
  idle: 'The model server sent no more data',
  total: 'The response was not complete',
}

/**
 * Creates a transport over node:http, at a third of the cost of `fetch`. Undefined if node:http does not exist. Modules
 * are loaded by name, so that bundles for browsers and workers need no `node:` import.
 */
export function nodeTransport(timeouts: Timeouts, customAgent?: object): Transport | undefined {
  if (!nodeModule('node:http')) return undefined
  let target: Target | undefined
  const send: Transport = (request) => {
    try {
      if (target?.url !== request.url) target = toTarget(request.url, customAgent)
      const opened = open(request, target, !isNode || customAgent !== undefined)
      return new Exchange(opened, request, send, timeouts).opened
    } catch (error) {
      return Promise.reject(toOpeningError(error, request))
    }
  }
  return send
}

/** Whether the runtime is Node itself. Other runtimes may not accept headers as an array. */
const isNode = /^(Node|$)/.test(globalThis.navigator?.userAgent ?? '')

/** The prepared options for requests to one URL, which are reused because the URL rarely changes. */
interface Target {
  readonly url: string
  readonly host: string
  readonly module: Pick<typeof import('node:http'), 'request' | 'Agent'>
  readonly options: RequestOptions & { readonly servername?: string }
}

function toTarget(url: string, customAgent: object | undefined): Target {
  const address = new URL(url)
  const { protocol, hostname, port, path } = nodeModule('node:url').urlToHttpOptions(address)
  // Loading node:https takes longer than a request, so it is loaded only for URLs that need it.
  const module = nodeModule(protocol === 'https:' ? 'node:https' : 'node:http')
  // No other options are set: Node adds the agent's options for each request, and a twelfth field makes the copy
  // larger.
  const agent = (customAgent as Agent | undefined) ?? new module.Agent({ keepAlive: true })
  const options = { method: 'POST', agent, protocol, hostname, port, path }
  // Without TLS, the server name is empty: otherwise Node would compute it for each request.
  return {
    url,
    host: address.host,
    module,
    options: protocol === 'http:' ? { ...options, servername: '' } : options,
  }
}

/**
 * Opens a request. Headers are an array if possible, because Node copies the fields of an object one by one. With
 * `isObject`, they are an object: proxy agents may read the stored options.
 */
function open(
  { headers, body }: TransportRequest,
  { host, module, options }: Target,
  isObject: boolean,
): ClientRequest {
  const length = lengthOf(body)
  let fields: OutgoingHttpHeaders | unknown[]
  // Over TLS, Node also uses the stored host as the server name.
  if (isObject || headers.host) fields = { host, ...headers, 'content-length': length }
  else {
    fields = ['host', host, 'content-length', length]
    for (const name in headers) fields.push(name, headers[name])
  }
  return module.request({ ...options, headers: fields as never })
}

function toOpeningError(error: unknown, { url }: TransportRequest): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_INVALID_PROTOCOL') return error
  const { protocol } = new URL(url)
  const message = `agent does not support ${protocol}// URLs. Use one from node:${protocol.slice(0, -1)}.`
  return new CapstanError('invalid_request', message, { cause: error })
}

/**
 * One request over node:http, and then its response. If a kept connection turns out to be closed, `send` sends the
 * request again.
 */
class Exchange implements TransportResponse {
  readonly opened: Promise<TransportResponse>
  status = 0
  readonly #clientRequest: ClientRequest
  readonly #signal: AbortSignal
  readonly #clock: RequestClock
  #message: IncomingMessage | undefined
  #body: Readable | undefined
  /** The reason why the request was given up. */
  #failure: unknown
  /** The connection's error. Without a content length, the response would otherwise seem complete. */
  #connectionError: unknown
  #reject: (error: unknown) => void = () => {}
  /** Ends `read`. Has no effect before `read` starts. */
  #endReading = () => {}

  constructor(clientRequest: ClientRequest, request: TransportRequest, send: Transport, timeouts: Timeouts) {
    this.#clientRequest = clientRequest
    this.#signal = request.signal
    this.#clock = startClock(timeouts, this.#fail)
    waitersOf(this.#signal).add(this.#fail)
    this.#clock.enter('connect')
    this.opened = new Promise((resolve, reject) => {
      this.#reject = reject
      let isOver = false
      // Each of these events is emitted only once; `once` would need extra memory for each.
      clientRequest.on('socket', (socket: Socket & { secureConnecting?: boolean }) => {
        // The request can be written once the socket is connected, and over TLS after the handshake.
        const ready = socket.secureConnecting ? 'secureConnect' : socket.connecting ? 'connect' : undefined
        if (ready) socket.once(ready, () => this.#clock.enter('firstByte'))
        else this.#clock.enter('firstByte')
      })
      clientRequest.on('response', (message) => {
        isOver = true
        this.#clock.enter('idle')
        this.status = message.statusCode ?? 0
        this.#message = message
        try {
          this.#body = decompressed(message)
          resolve(this)
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
        // The server closed a kept connection before the request arrived, so it is safe to send it again.
        const isStale = clientRequest.reusedSocket && (error as NodeJS.ErrnoException).code === 'EPIPE'
        if (isStale && !isOurs) resolve(send(request))
        else reject(this.#failure ?? unreachable(request.url, error))
        isOver = true
      })
    })
    for (const part of request.body.slice(0, -1)) clientRequest.write(part)
    clientRequest.end(request.body.at(-1))
  }

  header(name: string): string | null {
    return [this.#message?.headers[name] ?? []].flat().join(', ') || null
  }

  headers(): readonly string[] {
    return this.#message?.rawHeaders ?? []
  }

  read(take: (bytes: Uint8Array) => boolean): Promise<void> {
    const body = this.#body as Readable
    return new Promise((resolve, reject) => {
      const end = (failure?: unknown) => {
        this.#release()
        if (failure === undefined) resolve()
        else reject(failure)
      }
      this.#endReading = end
      body.on('data', (bytes: Uint8Array) => {
        this.#clock.enter('idle')
        try {
          if (!take(bytes)) this.leave()
        } catch (error) {
          this.#clientRequest.destroy()
          body.destroy()
          end(error)
        }
      })
      body.on('end', () => end(this.#failure ?? this.#connectionError))
      body.on('error', (error) => end(this.#failure ?? error))
      body.on('close', () => {
        if (!body.readableEnded) end(this.#failure ?? new Error('the connection was closed'))
      })
    })
  }

  /** Stops reading early. If the server finishes within 100 ms, the connection stays open; otherwise it is closed. */
  leave(): void {
    const body = this.#body as Readable
    this.#endReading()
    body.removeAllListeners('data')
    body.on('error', () => {})
    body.resume()
    const closeTimer = setTimeout(() => this.#clientRequest.destroy(), 100)
    body.once('close', () => clearTimeout(closeTimer))
  }

  readonly #fail = (error: unknown): void => {
    this.#failure ??= error
    this.#release()
    // A request that is still waiting for a socket emits no event when it is destroyed.
    this.#reject(error)
    this.#clientRequest.destroy(error instanceof Error ? error : new Error('aborted'))
  }

  #release(): void {
    this.#clock.stop()
    waitersOf(this.#signal).remove(this.#fail)
  }
}

/**
 * Returns the decompressed body of a response. Compression is not requested, but some servers compress anyway.
 * @throws CapstanError `unsupported` for an encoding other than gzip, deflate or br
 */
function decompressed(message: IncomingMessage): Readable {
  const encodings = (message.headers['content-encoding'] ?? '').split(',')
  return encodings.reduceRight<Readable>((body, given) => {
    const encoding = given.trim().toLowerCase()
    if (noEncoding.test(encoding)) return body
    const { pipeline } = nodeModule('node:stream')
    // Errors reach the reader through the stream itself.
    return pipeline(body, createDecompressor(encoding), () => {})
  }, message)
}

/** Matches values that mean no encoding. Some servers send a charset here, which belongs in the content type. */
const noEncoding = /^(|identity|none|utf-?8)$/

/**
 * Creates the stream that decompresses an encoding. A missing trailer is accepted: the content itself shows whether the
 * response is complete.
 */
function createDecompressor(encoding: string): Transform {
  const zlib = nodeModule('node:zlib')
  const flushing = (flush: number) => ({ flush, finishFlush: flush })
  // zlib's Z_SYNC_FLUSH.
  const options = flushing(2)
  if (/^(x-)?gzip$/.test(encoding)) return zlib.createUnzip(options)
  if (encoding === 'deflate') {
    return createInflateStream((isWrapped) => zlib[isWrapped ? 'createInflate' : 'createInflateRaw'](options))
  }
  // BROTLI_OPERATION_FLUSH.
  if (encoding === 'br') return zlib.createBrotliDecompress(flushing(1))
  const message = `The model server sent content-encoding "${encoding}". Turn it off there, or set fetch.`
  throw new CapstanError('unsupported', message, { evidence: { encoding } })
}

/**
 * Creates a stream that decompresses "deflate". This encoding comes with the zlib wrapper or, against the standard,
 * without it; the first byte shows which.
 */
function createInflateStream(create: (isWrapped: boolean) => Inflate | InflateRaw): Transform {
  const { Transform } = nodeModule('node:stream')
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

/** Creates the error for a request without a response. */
export function unreachable(url: string, error: unknown): CapstanError {
  const { origin } = new URL(url)
  const reason = rootCause(error)
  const message = `Cannot reach ${origin} (${reason}). Check baseURL, and that the server is up.`
  return new CapstanError('network', message, {
    retryable: true,
    evidence: { origin, why: reason },
    cause: error,
  })
}

/**
 * Returns the reason for a failure, from the innermost cause. The outer errors of `fetch` and clients only report that
 * the request "failed".
 */
export function rootCause(thrown: unknown): string {
  try {
    let last = thrown
    for (let depth = 0; depth < 10; depth++) last = Object(last).cause ?? last
    const { message, code } = Object(last) as { message?: unknown; code?: unknown }
    const text = message || code === undefined ? messageOf(last).replace(/\.$/, '') : `${code}`
    return !isString(code) || text.includes(code) ? text : `${text} (${code})`
  } catch {
    return 'an unreadable value was thrown'
  }
}
