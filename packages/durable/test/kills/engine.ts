import type { DurableAgent } from '../../src/durable-agent.js'

/** An engine whose workers are killed. */
export interface Engine {
  readonly runs: DurableAgent
  /** @param id identifies the process in the ledger  @param name is the worker's name in the engine */
  worker(id: string, name: string): WorkerProgram
  close(): Promise<void>
}

/** The command of a worker that prints `ready`. */
interface WorkerProgram {
  readonly program: string
  readonly args: readonly string[]
  /** Path of Node. Default: this one. */
  readonly node?: string
  /** Registers the worker, given its output. */
  up?(said: string): Promise<void>
}
