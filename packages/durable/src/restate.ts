import type { AnyAgent } from '@capstan/core'
import type { DurableAgent, DurableArguments, ResultOf } from './durable-agent.js'
import { type RestateConfig, type RestateOptions, toConfig } from './restate/options.js'
import { RestateRuns } from './restate/runs.js'
import { startRestateWorker, type Worker, type WorkerOptions } from './restate/worker.js'

export type { DurableAgent, DurableRun, DurableRunOptions, RunStatus } from './durable-agent.js'
export type { RestateOptions } from './restate/options.js'
export type { Worker, WorkerOptions } from './restate/worker.js'

const configs = new WeakMap<object, RestateConfig>()

/**
 * An agent whose runs are kept by a Restate server and worked on by workers, see `startWorker`. Its name is what Restate
 * calls it: it must not change while it has runs. `stream` hears what is worked on in this process.
 * @throws CapstanError `invalid_request` for a name that is none there
 */
export function durable<const A extends AnyAgent>(
  agent: A,
  ...[options]: DurableArguments<A, RestateOptions>
): DurableAgent<ResultOf<A>> {
  const plan = toConfig(agent, options ?? {})
  const runs = new RestateRuns<ResultOf<A>>(plan)
  configs.set(runs, plan)
  return runs
}

/**
 * Works on runs of these agents, those of agents within them included, until it is closed. Needs Node 22 or newer.
 * @throws CapstanError `unsupported` where Node is older or @restatedev/restate-sdk is missing; `network` without a server
 */
export function startWorker(agents: readonly DurableAgent[], options: WorkerOptions = {}): Promise<Worker> {
  const known = agents.map((agent) => configs.get(agent))
  const found = known.filter((plan) => plan !== undefined)
  if (found.length < known.length)
    throw new TypeError('A worker takes agents that durable(...) of this entry made.')
  return startRestateWorker(found, options)
}
