import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { startChaos } from './chaos/start-chaos.js'
import { answerBrokenRequest, refuseTunnel } from './http/answer-broken-request.js'
import { type Door, handleRequest, pathOf } from './http/handle-request.js'
import type { Routes } from './http/route.js'
import { ServiceError } from './http/service-error.js'
import type { Answering } from './http/shut-down.js'
import { writeError } from './http/write-reply.js'
import type { CheckedOptions } from './service-options.js'

/** A server with its limits, not yet listening; `answering` holds what it is at. */
export function toServer(options: CheckedOptions, routes: Routes, answering: Set<Answering>): Server {
  const { log, chaos, requestTimeoutMs, answerTimeoutMs, maxConnections } = options
  const onFault = (error: unknown) => log?.(`internal_error ${placeOf(error)}`)
  const door: Door = { ...options, ...routes, trouble: startChaos(chaos), onFault }
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
    const done = Promise.all([handleRequest(door, request, response), written]).then(() => {
      answering.delete(entry)
      log?.(toLine(request, response, performance.now() - started))
    })
    const entry = { request, done }
    answering.add(entry)
  })
  server.maxConnections = maxConnections
  server.timeout = requestTimeoutMs + answerTimeoutMs
  server.on('clientError', answerBrokenRequest)
  server.on('connect', (_, socket) => refuseTunnel(socket))
  server.on('checkExpectation', (_, response) => writeError(response, unmet))
  return server
}

const unmet = new ServiceError(
  417,
  'unmet_expectation',
  'Leave out the header Expect, or send 100-continue.',
  'expect',
)

function toLine(request: IncomingMessage, response: ServerResponse, ms: number): string {
  const path = pathOf(request).replace(/^\/files\/.*/, '/files/*')
  const status = response.writableFinished ? response.statusCode : 'aborted'
  const id = response.getHeader('x-request-id')
  return `${request.method} ${path.slice(0, 100)} ${status} ${Math.round(ms)}ms ${id}`
}

// The kind of a fault and where it happened; its message might repeat what the client sent.
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const [place = ''] = /\bat .+/.exec(error.stack ?? '') ?? []
  return `${error.name} ${place}`.trim()
}
