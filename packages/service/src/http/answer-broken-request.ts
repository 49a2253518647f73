import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ServiceError } from './service-error.js'

/** Answers what is no HTTP request, or not in time, in the form of every other error, and ends the connection. */
export function answerBrokenRequest(error: Error, socket: Duplex): void {
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy()
    return
  }
  end(socket, toRefusal(error))
}

/** Answers a CONNECT: this is no proxy. */
export function refuseTunnel(socket: Duplex): void {
  end(
    socket,
    new ServiceError(
      405,
      'method_not_allowed',
      'This is no proxy: the method CONNECT is not taken.',
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
      'The head of the request is larger than 16 kB.',
      'headers',
    )
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError(408, 'request_too_slow', 'The request took too long to arrive.', 'headers')
  }
  return new ServiceError(400, 'invalid_http', 'This is no HTTP request that can be read.', 'headers')
}
