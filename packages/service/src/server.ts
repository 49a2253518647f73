import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { startChaos } from './chaos/chaos.js'
import { type HandlerOptions, handleRequest, pathOf, type Routes } from './http/handle-request.js'
import type { Journal } from './http/journal.js'
import { ServiceError } from './http/service-error.js'
import { writeError } from './http/write-reply.js'
import type { CheckedOptions } from './service-options.js'

/** The parts of a server that exist for longer than one request. */
export interface ServerParts {
  readonly routes: Routes
  readonly journal: Journal
  /** The requests that are in progress. */
  readonly answering: Set<OpenRequest>
}

/** Creates a server with its limits. The server does not listen yet. */
export function toServer(options: CheckedOptions, { routes, journal, answering }: ServerParts): Server {
  const { log, chaos, requestTimeoutMs, answerTimeoutMs, maxConnections } = options
  const onFault = (error: unknown) => log?.(`internal_error ${placeOf(error)}`)
  const handlerOptions: HandlerOptions = {
    ...options,
    ...routes,
    transform: startChaos(chaos),
    onFault,
    journal,
  }
  const limits = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: 0,
    requireHostHeader: false,
    keepAliveTimeout: 60_000,
    connectionsCheckingInterval: Math.min(1000, requestTimeoutMs),
  }
  const server = createServer(limits, (request, response) => {
    const started = performance.now()
    const written = once(response, 'close')
    const done = Promise.all([handleRequest(handlerOptions, request, response), written]).then(() => {
      answering.delete(entry)
      log?.(toLine(request, response, performance.now() - started))
    })
    const entry = { request, done }
    answering.add(entry)
  })
  server.maxConnections = maxConnections
  server.timeout = requestTimeoutMs + answerTimeoutMs
  server.on('clientError', rejectMalformedRequest)
  server.on('connect', (_, socket) => rejectConnect(socket))
  server.on('checkExpectation', (_, response) => writeError(response, unmet))
  return server
}

const unmet = new ServiceError(
  417,
  'unmet_expectation',
  'The header Expect must be 100-continue or absent.',
  'expect',
)

function toLine(request: IncomingMessage, response: ServerResponse, ms: number): string {
  const path = pathOf(request).replace(/^\/files\/.*/, '/files/*')
  const status = response.writableFinished ? response.statusCode : 'aborted'
  const id = response.getHeader('x-request-id')
  return `${request.method} ${path.slice(0, 100)} ${status} ${Math.round(ms)}ms ${id}`
}

// Logs only the type and position of an error. The message could contain content from the client.
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const [place = ''] = /\bat .+/.exec(error.stack ?? '') ?? []
  return `${error.name} ${place}`.trim()
}

interface Closing {
  readonly server: Server
  readonly answering: ReadonlySet<OpenRequest>
  /** How long to wait for open requests to end, in milliseconds. */
  readonly graceMs: number
  /** Closes everything that responses depend on. */
  readonly end: () => Promise<void>
}

/** A request that is being received or handled. */
export interface OpenRequest {
  readonly request: IncomingMessage
  /** Resolves when the response has been written or the client has disconnected. */
  readonly done: Promise<void>
}

/** Stops accepting connections, waits for open responses up to the time limit, and ends the rest. */
export async function shutDown({ server, answering, graceMs, end }: Closing): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  for (const { request } of answering) if (!request.complete) request.destroy()
  await Promise.race([late, allDone(answering)])
  clearTimeout(timer)
  server.closeAllConnections()
  await Promise.all([closed, end()])
  await allDone(answering)
}

async function allDone(answering: ReadonlySet<OpenRequest>): Promise<void> {
  await Promise.all([...answering].map(({ done }) => done))
}

/**
 * Responds to malformed HTTP and to requests that arrive too slowly, in the usual error format. Then closes the
 * connection.
 */
function rejectMalformedRequest(error: Error, socket: Duplex): void {
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy()
    return
  }
  end(socket, toRefusal(error))
}

/** Rejects CONNECT, because the service is not a proxy. */
function rejectConnect(socket: Duplex): void {
  end(
    socket,
    new ServiceError(
      405,
      'method_not_allowed',
      'The method CONNECT is not supported: this server is not a proxy.',
      'method',
    ),
  )
}

function end(socket: Duplex, told: ServiceError): void {
  const body = JSON.stringify(told)
  const head = [
    `HTTP/1.1 ${told.status} ${STATUS_CODES[told.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function toRefusal(error: Error): ServiceError {
  const code = 'code' in error ? error.code : undefined
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError(
      431,
      'header_too_large',
      "The request's headers are larger than 16 kB. Send fewer or shorter headers.",
      'headers',
    )
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError(
      408,
      'request_too_slow',
      'The request arrived too slowly. Send it again.',
      'headers',
    )
  }
  return new ServiceError(400, 'invalid_http', 'The request is not valid HTTP.', 'headers')
}
