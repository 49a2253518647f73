import { Readable } from 'node:stream'
import type { Order } from './order.js'

/** The chunks of an order as they come, a few ahead of who reads them. */
export function toStream(order: Order, start: (order: Order) => Promise<unknown>): Readable {
  const { port1, stop, end } = order
  const chunks = new Readable({
    objectMode: true,
    highWaterMark: 64,
    read: () => port1.postMessage('more'),
    destroy: (error, done) => {
      stop.abort()
      done(error)
    },
  })
  port1.on('message', (message: Uint8Array | null | 'begun') => {
    if (message !== 'begun') chunks.push(message)
  })
  const job = start(order).catch((error: Error) => {
    chunks.destroy(error)
  })
  // The last chunks may come after the word that the job is done.
  chunks.once('close', () => void job.then(end))
  return chunks
}
