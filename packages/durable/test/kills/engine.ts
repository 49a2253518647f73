import type { DurableAgent } from '../../src/durable-agent.js'

/** An engine whose workers are killed. */
export interface Engine {
  readonly runs: DurableAgent
  worker(id: string): WorkerProgram
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
