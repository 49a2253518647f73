import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Tinypool } from 'tinypool'
import { ServiceError } from '../http/service-error.js'
import { fromFailure, type Job, type Outcome } from './jobs.js'
import { createQueue } from './queue.js'
import type { Tasks } from './worker.js'

export interface WorkOptions {
  /** The number of threads. Default: one less than the number of cores, but at least 1 and at most 4. */
  readonly workers?: number | undefined
  /** The maximum number of tasks that wait for a thread. Further tasks get a 429 with Retry-After. Default: 32. */
  readonly queue?: number | undefined
  /**
   * The heap limit of a thread in MB, without buffers and WebAssembly. A thread that exceeds this limit ends. Default:
   * 1024.
   */
  readonly memoryMb?: number | undefined
  /** The file that the worker threads run. Default: the service's tasks. */
  readonly file?: WorkerFile | undefined
}

type AnyTasks = Readonly<Record<string, (input: never, context: never) => Promise<unknown>>>

interface Call {
  /** Aborts when the result is no longer needed. Drops a waiting task, and stops a running one. */
  readonly signal: AbortSignal
}

/** Runs heavy tasks outside the main thread. */
export interface Work<T extends AnyTasks = Tasks> {
  readonly run: <Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    call: Call,
  ) => Promise<Awaited<ReturnType<T[Name]>>>
  /** Yields the bytes of a generator task at the reader's speed, with a small buffer. */
  readonly stream: <Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    call: Call,
  ) => AsyncIterable<Uint8Array>
  /** Stops all running and waiting tasks, and ends all threads. */
  readonly close: () => Promise<void>
}

/** Creates a pool of worker threads. Threads start when tasks arrive, and end after 30 s without a task. */
export function startWork<T extends AnyTasks = Tasks>(options: WorkOptions = {}): Work<T> {
  const { workers = defaultWorkers(), queue = 32, memoryMb = 1024, file = findWorkerFile() } = options
  const lane = createQueue({ places: workers, queue })
  const orders = new Set<PendingTask>()
  let pool: Promise<Tinypool> | undefined
  let closed = false
  const start = async (order: PendingTask): Promise<unknown> => {
    orders.add(order)
    try {
      if (closed) throw new ServiceError(503, 'closing', 'The service is closing. Retry when it runs again.')
      const leave = await lane.enter(order.stop.signal)
      pool ??= startPool({ workers, memoryMb, file })
      return await runInThread(await pool, order, file.filename).finally(leave)
    } finally {
      orders.delete(order)
    }
  }
  return {
    run: (name, input, { signal }) => {
      const order = createPendingTask(name, input, signal)
      return start(order).finally(order.end) as ReturnType<T[typeof name]>
    },
    stream: (name, input, { signal }) => streamTask(createPendingTask(name, input, signal), start),
    close: async () => {
      closed = true
      for (const { stop } of orders) stop.abort()
      await (await pool)?.destroy()
    },
  }
}

// Leaves one core for the main thread. The maximum limits memory, because each worker may load a model.
function defaultWorkers(): number {
  return Math.max(1, Math.min(4, availableParallelism() - 1))
}

const idleTimeout = 30_000

/** The number of threads, their memory limit, and their file. */
interface PoolOptions {
  readonly workers: number
  readonly memoryMb: number
  readonly file: WorkerFile
}

/** Creates a pool without a queue. Its threads start with tasks and end when idle. */
async function startPool({ workers, memoryMb, file }: PoolOptions): Promise<Tinypool> {
  const { Tinypool } = await import('tinypool')
  const pool = new Tinypool({
    minThreads: 0,
    maxThreads: workers,
    idleTimeout,
    useAtomics: false,
    // Without a limit, a worker could use the memory of the entire process.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    // Does not pass on the arguments of this process, because some are only meant for its own program, such as --eval.
    execArgv: file.execArgv ?? [],
  })
  // Ignores the end of an idle worker, which has no effect.
  pool.setMaxListeners(0).on('error', () => {})
  return pool
}

const patience = 1000

/** Runs a task in a thread of the pool. Rejects if the task is stopped, or if its thread ends or cannot start. */
async function runInThread(pool: Tinypool, order: PendingTask, filename: string): Promise<unknown> {
  const { name, input, port1, port2 } = order
  const { signal } = order.stop
  signal.throwIfAborted()
  const kill = new AbortController()
  let timer: NodeJS.Timeout | undefined
  // A task that never pauses cannot receive the stop, so its thread is ended instead.
  const stop = () => {
    port1.postMessage('stop')
    timer = setTimeout(() => kill.abort(), patience)
  }
  signal.addEventListener('abort', stop, { once: true })
  // A worker's port closes with its thread. The pool itself does not notice a thread that ends without an error.
  port1.once('close', () => kill.abort())
  // The pool does not drop a task whose thread failed to start.
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

/** Yields the chunks of a task as they arrive. A few are buffered. */
function streamTask(order: PendingTask, start: (order: PendingTask) => Promise<unknown>): Readable {
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
  // The last chunks may arrive after the job has ended.
  chunks.once('close', () => void job.then(end))
  return chunks
}

/** A task whose caller is waiting for the result. */
interface PendingTask extends Omit<Job, 'port'> {
  readonly stop: AbortController
  /** This thread's port. */
  readonly port1: MessagePort
  /** The worker's port. */
  readonly port2: MessagePort
  /** Closes the ports and removes the signal's listener. */
  readonly end: () => void
}

/** Creates a task with its own ports. `signal` aborts it. */
function createPendingTask(name: string, input: unknown, signal: AbortSignal): PendingTask {
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

/** The file that worker threads run, and the arguments that Node needs for it. */
interface WorkerFile {
  readonly filename: string
  readonly execArgv?: string[]
}

/** Returns the compiled worker next to this file or, when running from source, the TypeScript file. */
function findWorkerFile(): WorkerFile {
  const isSource = here.endsWith('.ts')
  const filename = fileURLToPath(new URL(isSource ? './worker.ts' : './worker.js', here))
  return isSource ? fromSource(filename) : { filename }
}

/** Returns a TypeScript file as a worker, for development in this repository. */
export function fromSource(filename: string): WorkerFile {
  const loader = new URL('./typescript.mjs', here).href
  return { filename, execArgv: ['--conditions=development', '--import', loader] }
}

// CommonJS builds only have `__filename`. Other builds only have `import.meta.url`.
const here = import.meta.url ?? pathToFileURL(__filename).href
