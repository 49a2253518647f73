import type { AnyAgent, AnyRunResult } from '@capstan/core'
import type { DurableAgent, DurableArguments, ResultOf } from '../durable-agent.js'
import { defaultMaxStepBytes } from '../recorded.js'
import type { DbosOptions, MakeContext, Plan } from './engine.js'
import { placeOf } from './names.js'
import { Runs } from './runs.js'

/** An agent whose runs are kept in PostgreSQL. */
export type DbosAgent<Result extends AnyRunResult = AnyRunResult> = DurableAgent<Result>

const plans = new WeakMap<object, Plan>()

/** How the runs of an agent are kept. @throws TypeError for what `durable` did not make */
export function planOf(runs: object): Plan {
  const plan = plans.get(runs)
  if (!plan) throw new TypeError('startWorker takes what durable(...) of @capstan/durable/dbos made.')
  return plan
}

/**
 * An agent whose runs are kept in PostgreSQL and worked on by DBOS, by any process that `startWorker` was called in.
 * Nothing is connected before it is used.
 */
export function durable<const A extends AnyAgent>(
  agent: A,
  ...[given]: DurableArguments<A, DbosOptions>
): DbosAgent<ResultOf<A>> {
  const options: DbosOptions & { readonly context?: MakeContext } = given ?? {}
  const plan: Plan = {
    agent,
    context: options.context,
    database: options.database,
    place: placeOf(options.application ?? 'capstan', options.queue ?? 'capstan'),
    maxStepBytes: options.maxStepBytes ?? defaultMaxStepBytes,
    live: options.live ?? true,
    migrate: options.migrate ?? true,
  }
  const runs = new Runs(plan)
  plans.set(runs, plan)
  return runs as unknown as DbosAgent<ResultOf<A>>
}
