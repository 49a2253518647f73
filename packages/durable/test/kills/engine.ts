import { type ChildProcess, spawn } from 'node:child_process'
import type { DurableAgent } from '../../src/durable-agent.js'

/** An engine whose workers are killed. */
export interface Engine {
  readonly runs: DurableAgent
  /** @param id identifies the process in the ledger  @param name is the worker's name in the engine */
  worker(id: string, name: string): WorkerProgram
  close(): Promise<void>
}

/** The command that starts a worker. The worker prints `ready`. */
interface WorkerProgram {
  readonly program: string
  readonly args: readonly string[]
  /** The path of Node. Default: the one that runs this process. */
  readonly node?: string
  /** Registers the worker, given its output. */
  up?(said: string): Promise<void>
}

/** Starts a worker and waits until it is ready. */
export async function startProcess(engine: Engine, id: string, name: string): Promise<ChildProcess> {
  const { program, args, node = process.execPath, up } = engine.worker(id, name)
  const child = spawn(node, ['--conditions=development', '--import=tsx', program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (said) => String(said).includes('ready') && resolve(String(said)))
    child.once('close', () => reject(new Error(`The worker ${id} ended before it was ready.`)))
  })
  await up?.(said)
  return child
}
