import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { CapstanError, type Decision, type Decisions, isCapstanError, type RunState } from '@capstan/core'
import { hasToolsOf } from '@capstan/core/internal'
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { SegmentEnd } from '../segment.js'
import type { Connection, DbosConfig } from './engine.js'
import { hasWorker } from './heartbeat.js'
import { isActive, type Segment, Segments } from './segments.js'
import {
  type AbortStart,
  abortId,
  type DecisionStart,
  decisionId,
  decisionsQueue,
  decisionWorkflow,
  legacyDecisionId,
  runWorkflow,
  type SegmentStart,
  segmentId,
} from './stored.js'

/** For how long a silent worker may still come back: old versions are slow to leave. */
const lastSeenMs = 60_000

interface DecisionDeps extends Connection {
  readonly plan: DbosConfig
}

/** Keeps a decision, once it is known that it can be carried out as far as that can be known. */
export async function sendDecision(
  start: DecisionStart,
  { status: round }: Segment,
  office: DecisionDeps,
): Promise<void> {
  const { client, plan, dbos } = office
  const { agent, namespace: place } = plan
  const workflow = { workflowName: decisionWorkflow(agent.name), queueName: decisionsQueue(place) }
  for (;;) {
    const workflowID = await findFreeId(start, office)
    if (workflowID === undefined) return
    if (!isActive(round)) await checkDecision(start, round, office)
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
async function findFreeId(
  { runId, callId, decision }: DecisionStart,
  { client }: DecisionDeps,
): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    const id = decisionId(runId, callId, attempt)
    const workflowIDs = [id, legacyDecisionId(runId, callId, attempt)]
    const kept = await client.listWorkflows({ workflowIDs })
    // Former ids of two calls may be the same: the call is the one that the decision names.
    const own = kept.filter(({ input }) => (input as [DecisionStart])[0].callId === callId)
    const live = own.find((one) => isActive(one) || one.output === ('carried_out' satisfies DecisionOutcome))
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
async function checkDecision(
  { runId, callId, decision }: DecisionStart,
  round: WorkflowStatus,
  { plan, pool, client }: DecisionDeps,
): Promise<void> {
  if (round.status !== 'SUCCESS' || (await client.getWorkflow(abortId(runId)))) {
    const message = `The run "${runId}" is over: nothing can be decided of it any more.`
    throw new CapstanError('invalid_state', message, { evidence: { runId, status: round.status } })
  }
  const { state } = round.output as SegmentEnd
  const decisions = { [callId]: decision as unknown as Decision }
  await plan.agent.prepare({ ...state, stopReason: 'pending' }, { decisions, allowChangedTools: true })
  const [{ options }] = round.input as [SegmentStart]
  const { appVersion } = options.allowChangedTools ? {} : await versionFor(plan, state, round)
  if (
    appVersion === undefined ||
    (await hasWorker(pool, { namespace: plan.namespace, version: appVersion }, lastSeenMs))
  )
    return
  const message = `The tools of "${plan.agent.name}" have changed since the run "${runId}" began, and no worker of that version (${appVersion}) is up. Start one, or begin runs with { allowChangedTools: true }.`
  throw new CapstanError('conflict', message, { evidence: { runId, version: appVersion } })
}

/** What became of a decision. */
type DecisionOutcome = 'carried_out' | 'not_waited_for' | { readonly refused: string }

/**
 * What a decision does, however long that takes: it waits until the run waits for it, and lets the run go on in a
 * round of its own. Done again it does nothing more, so it may be cut off anywhere.
 */
export async function applyDecision(start: DecisionStart, site: WorkflowArguments): Promise<DecisionOutcome> {
  const { plan, client, by, signal } = site
  const { runId, callId } = start
  const rounds = new Segments(plan, client)
  for (let from = 0; ; ) {
    signal.throwIfAborted()
    const round = await rounds.settled(runId, from)
    if (!round || (await client.getWorkflow(abortId(runId)))) return 'not_waited_for'
    from = round.number
    const [begun] = round.status.input as [SegmentStart]
    // It was cut off after it had begun this round.
    if (begun.by === by) return 'carried_out'
    const end = round.status.status === 'SUCCESS' ? (round.status.output as SegmentEnd) : undefined
    if (end?.state.stopReason !== 'pending') return 'not_waited_for'
    if (end.state.pending.some((call) => call.callId === callId)) {
      const decided = await startNextSegment(start, { round, begun, end }, site)
      if (decided) return decided
    } else await sleep(1000, undefined, { signal, ref: false })
  }
}

interface WorkflowArguments {
  readonly plan: DbosConfig
  readonly client: DBOSClient
  /** The decision's own id. */
  readonly by: string
  /** Aborts with the worker. */
  readonly signal: AbortSignal
}

interface PendingSegment {
  readonly round: Segment
  readonly begun: SegmentStart
  readonly end: SegmentEnd
}

/** Begins the round after the one that waits; undefined when another decision has. */
async function startNextSegment(
  { runId, callId, decision }: DecisionStart,
  { round, begun, end }: PendingSegment,
  { plan, client, by }: WorkflowArguments,
): Promise<DecisionOutcome | undefined> {
  const decisions = { [callId]: decision as unknown as Decision }
  const refused = await findRejection(plan, end, decisions)
  if (refused !== undefined) return { refused }
  const workflowID = segmentId(runId, round.number + 1)
  const start: SegmentStart = {
    ...begun,
    state: { ...end.state, decisions: { ...end.state.decisions, ...decisions } },
    toolCalls: end.toolCalls,
    by,
  }
  const version = begun.options.allowChangedTools ? {} : await versionFor(plan, end.state, round.status)
  const workflow = { workflowName: runWorkflow(plan.agent.name), queueName: plan.namespace }
  await client.enqueue({ ...workflow, workflowID, ...version }, start)
  const next = await client.getWorkflow(workflowID)
  return (next?.input?.[0] as SegmentStart | undefined)?.by === by ? 'carried_out' : undefined
}

async function findRejection(
  { agent }: DbosConfig,
  { state }: SegmentEnd,
  decisions: Decisions,
): Promise<string | undefined> {
  try {
    await agent.prepare(state, { decisions, allowChangedTools: true })
    return undefined
  } catch (error) {
    if (isCapstanError(error)) return error.message
    throw error
  }
}

/** Ends what of a run is worked on: what is begun after this finds that it was ended. */
export async function cancelSegments({ runId }: AbortStart, client: DBOSClient): Promise<void> {
  const ids: string[] = []
  for (let round = 0; await client.getWorkflow(segmentId(runId, round)); round++)
    ids.push(segmentId(runId, round))
  await client.cancelWorkflows(ids, { cancelChildren: true })
}

/**
 * Who may go on with a state: whoever is the latest where the tools are as they were, else those of the version that
 * it was made by.
 */
async function versionFor(
  { agent }: DbosConfig,
  { definitionHash }: RunState,
  { applicationVersion }: WorkflowStatus,
): Promise<{ readonly appVersion?: string }> {
  if (applicationVersion === undefined || (await hasToolsOf(agent, definitionHash))) return {}
  return { appVersion: applicationVersion }
}

/** Changes when the tools of an agent do, or of those that its runs may come to. */
export async function toolsHash(agent: DbosConfig['agent']): Promise<string> {
  return (await agent.prepare('.')).definitionHash
}
