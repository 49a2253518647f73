import { startWorker, type Worker } from '@capstan/durable/restate'
import { agentsIn, type World } from './agents.js'
import type { Stage } from './facts.js'
import { freePort } from './worker-process.js'

/** A worker in this process, which may go and come back. */
export interface Hosted {
  readonly agents: ReturnType<typeof agentsIn>
  /** What tools have begun. */
  readonly lines: readonly string[]
  readonly port: number
  go(): Promise<void>
  come(): Promise<void>
}

export interface HostedOptions {
  /** Holds calls of `slow` up. Default: not at all. */
  readonly hold?: World['hold']
  /** Whether it is there from the start: Restate knows it in any case. Default true. */
  readonly isUp?: boolean
  /** Default: any. */
  readonly port?: number
}

/** Does something with a worker, which is gone after that. */
export async function withWorker(
  stage: Stage,
  use: (hosted: Hosted) => Promise<void>,
  { hold, isUp = true, ...options }: HostedOptions = {},
): Promise<void> {
  const lines: string[] = []
  const world = { note: (line: string) => void lines.push(line), ...(hold ? { hold } : {}) }
  const { ingress, admin } = stage
  const context = (runId: string, data: unknown) => ({ user: `${data} of ${runId}` })
  const agents = agentsIn(world, { ingress, admin, context })
  const port = options.port ?? (await freePort())
  let worker: Worker | undefined
  const come = async () => {
    worker = await startWorker(Object.values(agents), { port })
  }
  const go = async () => worker?.close()
  await come()
  if (!isUp) await go()
  try {
    await use({ agents, lines, port, go, come })
  } finally {
    await go()
  }
}

/** Waits for something to hold. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 15_000; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`It did not come to hold in 15 seconds: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
