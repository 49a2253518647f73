import type { IncomingMessage } from 'node:http'
import { ServiceError } from './service-error.js'

/** Reads a request's body. A longer one is a 413, found from its announced length or as soon as it passes `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers['content-length']) > maxBytes) throw tooLarge(maxBytes)
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const onData = (chunk: Uint8Array) => {
      size += chunk.byteLength
      if (size > maxBytes) return finish(() => reject(tooLarge(maxBytes)))
      chunks.push(chunk)
    }
    const onEnd = () => finish(() => resolve(join(chunks, size)))
    const onClose = () => finish(() => reject(new HungUp()))
    const finish = (settle: () => void) => {
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
  return new ServiceError(
    413,
    'body_too_large',
    `The body is larger than ${maxBytes} bytes, the most this service takes.`,
  )
}
