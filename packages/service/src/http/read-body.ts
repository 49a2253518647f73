import type { IncomingMessage } from 'node:http'
import { ServiceError } from './service-error.js'

/** How large a body may be, and how long it may take to come. */
export interface BodyLimits {
  readonly maxBodyBytes: number
  readonly requestTimeoutMs: number
}

/**
 * Reads a request's body. A longer one is a 413, found from its announced length or as soon as it passes the limit;
 * one that takes too long is a 408.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBodyBytes, requestTimeoutMs }: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers['content-length']) > maxBodyBytes) throw tooLarge(maxBodyBytes)
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const onData = (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size > maxBodyBytes) return finish(() => reject(tooLarge(maxBodyBytes)))
      chunks.push(chunk)
    }
    const onEnd = () => finish(() => resolve(join(chunks, size)))
    const onClose = () => finish(() => reject(new HungUp()))
    const timer = setTimeout(() => finish(() => reject(tooSlow(requestTimeoutMs))), requestTimeoutMs)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      settle()
    }
    request.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}

/** The client was gone before its request was complete: there is nobody to answer. */
export class HungUp extends Error {
  override readonly name = 'HungUp'
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.byteLength
  }
  return body
}

function tooLarge(maxBytes: number): ServiceError {
  const message = `The body is larger than ${maxBytes} bytes, the most this service takes.`
  return new ServiceError(413, 'body_too_large', message, 'body')
}

function tooSlow(ms: number): ServiceError {
  const message = `The body was not there in full after ${ms} ms: send it faster, or less of it.`
  return new ServiceError(408, 'body_too_slow', message, 'body', { connection: 'close' })
}
