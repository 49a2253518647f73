import type { Tinypool } from 'tinypool'
import type { WorkerFile } from './worker-file.js'

const idleTimeout = 30_000

/** How many threads there may be, how much each may hold, and what they run. */
export interface PoolOptions {
  readonly workers: number
  readonly memoryMb: number
  readonly file: WorkerFile
}

/** Starts a pool without any thread: they come with tasks, and go when idle. It queues nothing itself. */
export async function startPool({ workers, memoryMb, file }: PoolOptions): Promise<Tinypool> {
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
