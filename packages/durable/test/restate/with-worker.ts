import { startWorker, type Worker } from '@capstan/durable/restate'
import { RestateServer } from '../../src/restate/server.js'
import { agentsIn, type World } from './agents.js'
import type { Stage } from './facts.js'
import { freePort } from './worker-process.js'

/** A worker in this process that can be closed and restarted. */
export interface Hosted {
  readonly agents: ReturnType<typeof agentsIn>
  /** Lines of the calls that have started. */
  readonly lines: readonly string[]
  readonly port: number
  go(): Promise<void>
  come(): Promise<void>
}

export interface HostedOptions {
  /** Delays calls of `slow`. Default: no delay. */
  readonly hold?: World['hold']
  /** Whether it runs from the start. It is registered with Restate in any case. Default true. */
  readonly isUp?: boolean
  /**
   * Milliseconds after which a step no longer notices an abort. Default 300, so that waiting runs leave the worker
   * soon.
   */
  readonly suspendAfterMs?: number
  /** The port to listen on. Default: a free one. */
  readonly port?: number
}

/** Runs a function with a worker and closes the worker. */
export async function withWorker(
  stage: Stage,
  use: (hosted: Hosted) => Promise<void>,
  { hold, isUp = true, suspendAfterMs = 300, ...options }: HostedOptions = {},
): Promise<void> {
  const lines: string[] = []
  const world = { note: (line: string) => void lines.push(line), ...(hold ? { hold } : {}) }
  const { ingress, admin } = stage
  const context = (runId: string, data: unknown) => ({ user: `${data} of ${runId}` })
  const agents = agentsIn(world, { ingress, admin, context, suspendAfterMs })
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

/** Waits for a condition, until the fact times out. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** A journal entry in Restate's tables. */
interface Entry {
  readonly Command?: { readonly Run?: { readonly name: string; readonly completion_id: number } }
  readonly Notification?: { readonly id: { readonly CompletionId?: number } }
}

/** Waits until Restate has stored the outcome of a step. A worker that dies before that repeats it. */
export async function untilKept({ ingress, admin }: Stage, runId: string, step: string): Promise<void> {
  const server = new RestateServer({ ingress, admin, headers: {} })
  await until(async () => {
    const rows = await server.query(
      `select j.entry_lite_json as entry from sys_journal j join sys_invocation i on i.id = j.id
       where i.target_handler_name = 'run' and i.target_service_key = '${runId}'`,
    )
    const entries = rows.map(({ entry }) => JSON.parse(String(entry)) as Entry)
    const run = entries.find(({ Command }) => Command?.Run?.name === step)?.Command?.Run
    const id = run?.completion_id
    return id !== undefined && entries.some(({ Notification }) => Notification?.id.CompletionId === id)
  })
}
