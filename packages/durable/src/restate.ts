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
 * Makes an agent durable: a Restate server stores its runs, and workers execute them (see `startWorker`). In Restate,
 * the agent's name is the name of its service, so do not change it while the agent has runs. `stream` delivers events
 * only for runs that this process executes.
 * @throws CapstanError `invalid_request` for a name that Restate does not accept
 */
export function durable<const A extends AnyAgent>(
  agent: A,
  ...[options]: DurableArguments<A, RestateOptions>
): DurableAgent<ResultOf<A>> {
  const config = toConfig(agent, options ?? {})
  const runs = new RestateRuns<ResultOf<A>>(config)
  configs.set(runs, config)
  return runs
}

/**
 * Starts a worker that executes these agents' runs and child runs until you close it. Needs Node 22 or newer.
 * @throws CapstanError `unsupported` on an older Node or without @restatedev/restate-sdk; `network` if the server
 * cannot be reached
 */
export function startWorker(agents: readonly DurableAgent[], options: WorkerOptions = {}): Promise<Worker> {
  const known = agents.map((agent) => configs.get(agent))
  const found = known.filter((config) => config !== undefined)
  if (found.length < known.length)
    throw new TypeError(
      'startWorker accepts only agents created by durable(...) from @capstan/durable/restate.',
    )
  return startRestateWorker(found, options)
}
