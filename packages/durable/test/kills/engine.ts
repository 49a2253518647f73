import type { DurableAgent } from '../../src/durable-agent.js'

/** An engine whose workers are killed. */
export interface Engine {
  readonly runs: DurableAgent
  /** @param id tells the ledger which process asks  @param name is what the engine knows it by */
  worker(id: string, name: string): WorkerProgram
  close(): Promise<void>
}

/** How a worker is started that says `ready` on a line. */
export interface WorkerProgram {
  readonly program: string
  readonly args: readonly string[]
  /** Default: this Node. */
  readonly node?: string
  /** Makes it known, by what it said. */
  up?(said: string): Promise<void>
}
