import { isDeepStrictEqual } from 'node:util'
import { CapstanError, type Decision } from '@capstan/core'
import type { WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { RoundEnd } from '../round-end.js'
import type { Decided } from './carry-out.js'
import type { Connection, Plan } from './engine.js'
import { abortId, decisionId, decisionsQueue, decisionWorkflow, formerDecisionId } from './names.js'
import { isActive, type Round } from './rounds.js'
import type { DecisionStart, RoundStart } from './start.js'
import { versionFor } from './version-for.js'
import { hasWorker } from './workers.js'

/** For how long a silent worker may still come back: old versions are slow to leave. */
const lastSeenMs = 60_000

interface Office extends Connection {
  readonly plan: Plan
}

/** Keeps a decision, once it is known that it can be carried out as far as that can be known. */
export async function sendDecision(
  start: DecisionStart,
  { status: round }: Round,
  office: Office,
): Promise<void> {
  const { client, plan, dbos } = office
  const { agent, place } = plan
  const workflow = { workflowName: decisionWorkflow(agent.name), queueName: decisionsQueue(place) }
  for (;;) {
    const workflowID = await freeId(start, office)
    if (workflowID === undefined) return
    if (!isActive(round)) await check(start, round, office)
    try {
      await client.enqueue({ ...workflow, workflowID, workflowIDReusePolicy: 'reject' }, start)
      return
    } catch (error) {
      // Somebody else decided at the same time: what that was is to be seen now.
      if (!dbos.Error.isWorkflowIDInUseError(error)) throw error
    }
  }
}

/** The id to keep it by; undefined when it is kept already. @throws CapstanError `conflict` where another one is */
async function freeId(
  { runId, callId, decision }: DecisionStart,
  { client }: Office,
): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    const id = decisionId(runId, callId, attempt)
    const workflowIDs = [id, formerDecisionId(runId, callId, attempt)]
    const kept = await client.listWorkflows({ workflowIDs })
    // Former ids of two calls may be the same: the call is the one that the decision names.
    const own = kept.filter(({ input }) => (input as [DecisionStart])[0].callId === callId)
    const live = own.find((one) => isActive(one) || one.output === ('carried_out' satisfies Decided))
    if (live) return checkSame({ runId, callId, decision }, live)
    // A decision that was refused, or is on another call, keeps its id.
    if (own.length === 0 && kept.every(({ workflowID }) => workflowID !== id)) return id
  }
}

function checkSame({ runId, callId, decision }: DecisionStart, { input }: WorkflowStatus): undefined {
  const [before] = input as [DecisionStart]
  if (isDeepStrictEqual(before.decision, decision)) return undefined
  const message = `The call "${callId}" has a decision already, and it is another one. The first counts.`
  throw new CapstanError('conflict', message, { evidence: { runId, callId } })
}

/** @throws CapstanError for a decision that a run that waits cannot be gone on with */
async function check(
  { runId, callId, decision }: DecisionStart,
  round: WorkflowStatus,
  { plan, pool, client }: Office,
): Promise<void> {
  if (round.status !== 'SUCCESS' || (await client.getWorkflow(abortId(runId)))) {
    const message = `The run "${runId}" is over: nothing can be decided of it any more.`
    throw new CapstanError('invalid_state', message, { evidence: { runId, status: round.status } })
  }
  const { state } = round.output as RoundEnd
  const decisions = { [callId]: decision as unknown as Decision }
  await plan.agent.prepare({ ...state, stopReason: 'pending' }, { decisions, allowChangedTools: true })
  const [{ options }] = round.input as [RoundStart]
  const { appVersion } = options.allowChangedTools ? {} : await versionFor(plan, state, round)
  if (
    appVersion === undefined ||
    (await hasWorker(pool, { place: plan.place, version: appVersion }, lastSeenMs))
  )
    return
  const message = `The tools of "${plan.agent.name}" have changed since the run "${runId}" began, and no worker of that version (${appVersion}) is up. Start one, or begin runs with { allowChangedTools: true }.`
  throw new CapstanError('conflict', message, { evidence: { runId, version: appVersion } })
}
