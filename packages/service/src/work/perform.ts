import type { Tinypool } from 'tinypool'
import { fromFailure, type Job, type Outcome } from './job.js'
import type { Order } from './order.js'

const patience = 1000

/** Has an order done in a thread of the pool. Rejects when it is stopped, or its thread dies or cannot start. */
export async function perform(pool: Tinypool, order: Order, filename: string): Promise<unknown> {
  const { name, input, port1, port2 } = order
  const { signal } = order.stop
  signal.throwIfAborted()
  const kill = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // Work that cannot hear, because it never pauses, ends with its thread.
  const stop = () => {
    port1.postMessage('stop')
    timer = setTimeout(() => kill.abort(), patience)
  }
  signal.addEventListener('abort', stop, { once: true })
  // The worker's end goes with its thread; the pool would not notice one that ended without an error.
  port1.once('close', () => kill.abort())
  // Nor would it give up a task whose thread failed to start.
  let unstarted: Error | undefined
  const onDeath = (error: Error) => {
    unstarted = error
    kill.abort()
  }
  pool.on('error', onDeath)
  port1.once('message', () => pool.off('error', onDeath))
  try {
    const job: Job = { name, input, port: port2 }
    const outcome: Outcome = await pool.run(job, { filename, transferList: [port2], signal: kill.signal })
    if ('failure' in outcome) throw fromFailure(outcome.failure)
    return outcome.output
  } catch (error) {
    throw unstarted ?? error
  } finally {
    clearTimeout(timer)
    pool.off('error', onDeath)
    signal.removeEventListener('abort', stop)
  }
}
