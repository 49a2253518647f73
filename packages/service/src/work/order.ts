import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Job } from './job.js'

/** A task that somebody waits for. */
export interface Order extends Omit<Job, 'port'> {
  readonly stop: AbortController
  /** Ours. */
  readonly port1: MessagePort
  /** The worker's. */
  readonly port2: MessagePort
  /** Lets go of the ports, and of the signal that was given. */
  readonly end: () => void
}

/** An order with ports of its own; `signal` aborts it. */
export function toOrder(name: string, input: unknown, signal: AbortSignal): Order {
  const { port1, port2 } = new MessageChannel()
  const stop = new AbortController()
  const abort = () => stop.abort(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  const end = () => {
    signal.removeEventListener('abort', abort)
    port1.close()
  }
  return { name, input, stop, port1, port2, end }
}
