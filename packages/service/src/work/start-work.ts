import { availableParallelism } from 'node:os'
import type { Tinypool } from 'tinypool'
import { ServiceError } from '../http/service-error.js'
import { toLane } from './lane.js'
import { type Order, toOrder } from './order.js'
import { perform } from './perform.js'
import { startPool } from './start-pool.js'
import type { Tasks } from './tasks.js'
import { toStream } from './to-stream.js'
import { findWorkerFile, type WorkerFile } from './worker-file.js'

export interface WorkOptions {
  /** Threads at one time. Default: one less than there are cores, from 1 to 4. */
  readonly workers?: number | undefined
  /** Tasks that may wait for a thread; one more is a 429 with Retry-After. Default: 32. */
  readonly queue?: number | undefined
  /** How much a thread may hold beside buffers and WebAssembly, in MB: beyond it, it ends. Default: 1024. */
  readonly memoryMb?: number | undefined
  /** What the threads run. Default: the tasks of this service. */
  readonly file?: WorkerFile | undefined
}

type AnyTasks = Readonly<Record<string, (input: never, context: never) => Promise<unknown>>>

interface Call {
  /** Aborts when nobody waits for the outcome any more: a waiting task is dropped, a running one stopped. */
  readonly signal: AbortSignal
}

/** Heavy tasks, away from the thread that answers requests. */
export interface Work<T extends AnyTasks = Tasks> {
  readonly run: <Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    call: Call,
  ) => Promise<Awaited<ReturnType<T[Name]>>>
  /** The bytes of a task that is a generator, as they come; no faster than they are read, but for a short lead. */
  readonly stream: <Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    call: Call,
  ) => AsyncIterable<Uint8Array>
  /** Ends what runs and waits. Nothing is left then. */
  readonly close: () => Promise<void>
}

/** A pool of worker threads: they start when there is work, and end when there has been none for a while. */
export function startWork<T extends AnyTasks = Tasks>(options: WorkOptions = {}): Work<T> {
  const { workers = usualWorkers(), queue = 32, memoryMb = 1024, file = findWorkerFile() } = options
  const lane = toLane({ places: workers, queue })
  const orders = new Set<Order>()
  let pool: Promise<Tinypool> | undefined
  let closed = false
  const start = async (order: Order): Promise<unknown> => {
    orders.add(order)
    try {
      if (closed)
        throw new ServiceError(503, 'closing', 'The service is closing: ask it again when it is back.')
      const leave = await lane.enter(order.stop.signal)
      pool ??= startPool({ workers, memoryMb, file })
      return await perform(await pool, order, file.filename).finally(leave)
    } finally {
      orders.delete(order)
    }
  }
  return {
    run: (name, input, { signal }) => {
      const order = toOrder(name, input, signal)
      return start(order).finally(order.end) as ReturnType<T[typeof name]>
    },
    stream: (name, input, { signal }) => toStream(toOrder(name, input, signal), start),
    close: async () => {
      closed = true
      for (const { stop } of orders) stop.abort()
      await (await pool)?.destroy()
    },
  }
}

// One core is left to those who answer; each worker may hold a model in memory.
function usualWorkers(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1))
}
