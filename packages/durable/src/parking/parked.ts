import type { AnyAgent, Json } from '@capstan/core'
import type { MakeContextOption, ResultOf } from '../durable-agent.js'
import type { ParkedAgent } from './parked-agent.js'
import { ParkedRuns } from './parked-runs.js'
import type { RunStateStore } from './run-state-store.js'

export interface ParkedOptions {
  /** Where the runs are kept: `folderRuns(folder)`, `memoryRuns()`, or your own. */
  readonly store: RunStateStore
  /** How often a run is looked at that another process works on. Default 200. */
  readonly pollMs?: number
}

/**
 * An agent whose runs are worked on in this process and kept in a store: a run that waits for decisions waits there,
 * and goes on in whatever process decides on it. A store of snapshots is no engine. A run is kept before each of its
 * steps; when its process dies, nothing goes on with it by itself: `takeUp` does, and the calls or the request of the
 * step in flight are made again. For runs that go on by themselves use `@capstan/durable/dbos` or
 * `@capstan/durable/restate`.
 */
export function parked<const A extends AnyAgent>(
  agent: A,
  options: ParkedOptions & MakeContextOption<A>,
): ParkedAgent<ResultOf<A>> {
  const {
    store,
    pollMs = 200,
    context,
  } = options as ParkedOptions & {
    readonly context?: (runId: string, data: Json | undefined) => unknown
  }
  return new ParkedRuns({ agent, store, context, pollMs }) as unknown as ParkedAgent<ResultOf<A>>
}
