import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Tinypool } from 'tinypool'
import { ServiceError } from '../http/service-error.js'
import { fromFailure, type Job, type Outcome } from './jobs.js'
import { toLane } from './queue.js'
import type { Tasks } from './worker.js'

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

const idleTimeout = 30_000

/** How many threads there may be, how much each may hold, and what they run. */
interface PoolOptions {
  readonly workers: number
  readonly memoryMb: number
  readonly file: WorkerFile
}

/** Starts a pool without any thread: they come with tasks, and go when idle. It queues nothing itself. */
async function startPool({ workers, memoryMb, file }: PoolOptions): Promise<Tinypool> {
  const { Tinypool } = await import('tinypool')
  const pool = new Tinypool({
    minThreads: 0,
    maxThreads: workers,
    idleTimeout,
    useAtomics: false,
    // Without a limit of its own, a worker could take what the whole process may have.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    // Not those of this process: they may be about its own program, as --eval is.
    execArgv: file.execArgv ?? [],
  })
  // A worker that dies while it has no task takes nothing with it.
  pool.setMaxListeners(0).on('error', () => {})
  return pool
}

const patience = 1000

/** Has an order done in a thread of the pool. Rejects when it is stopped, or its thread dies or cannot start. */
async function perform(pool: Tinypool, order: Order, filename: string): Promise<unknown> {
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

/** The chunks of an order as they come, a few ahead of who reads them. */
function toStream(order: Order, start: (order: Order) => Promise<unknown>): Readable {
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

/** A task that somebody waits for. */
interface Order extends Omit<Job, 'port'> {
  readonly stop: AbortController
  /** Ours. */
  readonly port1: MessagePort
  /** The worker's. */
  readonly port2: MessagePort
  /** Lets go of the ports, and of the signal that was given. */
  readonly end: () => void
}

/** An order with ports of its own; `signal` aborts it. */
function toOrder(name: string, input: unknown, signal: AbortSignal): Order {
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

/** The file that worker threads run, and the arguments Node needs for it. */
interface WorkerFile {
  readonly filename: string
  readonly execArgv?: string[]
}

/** The worker as built beside this file; from source the TypeScript one. */
function findWorkerFile(): WorkerFile {
  const isSource = here.endsWith('.ts')
  const filename = fileURLToPath(new URL(isSource ? './worker.ts' : './worker.js', here))
  return isSource ? fromSource(filename) : { filename }
}

/** A TypeScript file as a worker: for work on this repository. */
export function fromSource(filename: string): WorkerFile {
  const loader = new URL('./typescript.mjs', here).href
  return { filename, execArgv: ['--conditions=development', '--import', loader] }
}

// The CommonJS build has only the first of the two, the others only the second.
const here = typeof __filename === 'string' ? pathToFileURL(__filename).href : import.meta.url
