import type { DurableAgent } from '../../src/durable-agent.js'

/** An engine whose workers are killed. */
export interface Engine {
  readonly runs: DurableAgent
  /** How a worker is started that prints `ready`. */
  worker(id: string): { readonly program: string; readonly args: readonly string[]; readonly node?: string }
  close(): Promise<void>
}
