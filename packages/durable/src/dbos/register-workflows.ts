import { carryOut, endRounds } from './carry-out.js'
import type { Connection, Engine, Plan } from './engine.js'
import { abortWorkflow, childWorkflow, decisionWorkflow, runWorkflow } from './names.js'
import { publisher } from './publisher.js'
import type { AbortStart, DecisionStart } from './start.js'
import { workOnChild } from './work-on-child.js'
import { workOnRound } from './work-on-round.js'
import type { Workflows } from './work-site.js'

/** It would count the deaths of workers also over runs that were only beside the one that killed them. */
const maxRecoveryAttempts = 1_000_000

/** Makes known to the engine what is done for runs of an agent. */
export function registerWorkflows(plan: Plan, { dbos, client, pool }: Connection, signal: AbortSignal): void {
  const engine: Engine = {
    dbos,
    signal,
    publish: (runId) => (plan.live ? publisher(pool, runId) : undefined),
  }
  const register = <Start, End>(name: string, work: (start: Start) => Promise<End>) =>
    dbos.DBOS.registerWorkflow(work, { name, maxRecoveryAttempts })
  const { name } = plan.agent
  const workflows: Workflows = {
    round: register(runWorkflow(name), (start) => workOnRound(start, { plan, engine, workflows })),
    child: register(childWorkflow(name), (start) => workOnChild(start, { plan, engine, workflows })),
  }
  register(decisionWorkflow(name), (start: DecisionStart) =>
    carryOut(start, { plan, client, signal, by: String(dbos.DBOS.workflowID) }),
  )
  register(abortWorkflow(name), (start: AbortStart) => endRounds(start, client))
}
