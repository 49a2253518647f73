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
  runWorkflow,
  type SegmentStart,
  segmentId,
} from './stored.js'

/**
 * If a worker's last heartbeat is older than this, in milliseconds, the worker is not expected to return. The limit is
 * generous, because workers with an old version may take a long time to shut down.
 */
const lastSeenMs = 60_000

interface DecisionDeps extends Connection {
  readonly config: DbosConfig
}

/**
 * Stores a decision. If the run is pending or has ended, checks the decision first. For an active run, only the worker
 * can check it later.
 * @throws CapstanError as `decide` does
 */
export async function sendDecision(
  start: DecisionStart,
  { status: segment }: Segment,
  deps: DecisionDeps,
): Promise<void> {
  const { client, config, dbos } = deps
  const { agent, namespace } = config
  const workflow = { workflowName: decisionWorkflow(agent.name), queueName: decisionsQueue(namespace) }
  for (;;) {
    const workflowID = await findFreeId(start, deps)
    if (workflowID === undefined) return
    if (!isActive(segment)) await checkDecision(start, segment, deps)
    try {
      await client.enqueue({ ...workflow, workflowID, workflowIDReusePolicy: 'reject' }, start)
      return
    } catch (error) {
      // Another decision was stored first, and can be found now.
      if (!dbos.Error.isWorkflowIDInUseError(error)) throw error
    }
  }
}

/**
 * Returns the first unused workflow id for a decision. Undefined if the same decision is already stored.
 * @throws CapstanError `conflict` if a different decision is stored
 */
async function findFreeId(
  { runId, callId, decision }: DecisionStart,
  { client }: DecisionDeps,
): Promise<string | undefined> {
  for (let attempt = 0; ; attempt++) {
    const id = decisionId(runId, callId, attempt)
    const found = await client.getWorkflow(id)
    if (!found) return id
    // The id of a rejected decision stays in use.
    if (isActive(found) || found.output === ('carried_out' satisfies DecisionOutcome))
      return checkSame({ runId, callId, decision }, found)
  }
}

function checkSame({ runId, callId, decision }: DecisionStart, { input }: WorkflowStatus): undefined {
  const [before] = input as [DecisionStart]
  if (isDeepStrictEqual(before.decision, decision)) return undefined
  const message = `The call "${callId}" already has a different decision. The first decision applies.`
  throw new CapstanError('conflict', message, { evidence: { runId, callId } })
}

/** Checks a decision on a run that has ended or is pending. @throws CapstanError if the decision cannot be applied */
async function checkDecision(
  { runId, callId, decision }: DecisionStart,
  segment: WorkflowStatus,
  { config, pool, client }: DecisionDeps,
): Promise<void> {
  if (segment.status !== 'SUCCESS' || (await client.getWorkflow(abortId(runId)))) {
    const message = `The run "${runId}" has ended and accepts no more decisions.`
    throw new CapstanError('invalid_state', message, { evidence: { runId, status: segment.status } })
  }
  const { state } = segment.output as SegmentEnd
  const decisions = { [callId]: decision as unknown as Decision }
  await config.agent.prepare({ ...state, stopReason: 'pending' }, { decisions, allowChangedTools: true })
  const [{ options }] = segment.input as [SegmentStart]
  const { appVersion } = options.allowChangedTools ? {} : await versionFor(config, state, segment)
  if (
    appVersion === undefined ||
    (await hasWorker(pool, { namespace: config.namespace, version: appVersion }, lastSeenMs))
  )
    return
  const message = `The tools have changed since run "${runId}" started. Start a worker with the run's version (${appVersion}), or start runs with { allowChangedTools: true }.`
  throw new CapstanError('conflict', message, { evidence: { runId, version: appVersion } })
}

/**
 * The output of a decision's workflow. `carried_out`: the run continues with the decision. `not_waited_for`: the run no
 * longer needs a decision. `refused`: the decision cannot be applied, for this reason.
 */
type DecisionOutcome = 'carried_out' | 'not_waited_for' | { readonly refused: string }

/**
 * Executes a decision's workflow: waits until the call is pending, then starts the run's next segment. The function is
 * idempotent, so the engine can interrupt and repeat it at any point.
 */
export async function applyDecision(
  start: DecisionStart,
  context: WorkflowArguments,
): Promise<DecisionOutcome> {
  const { config, client, by, signal } = context
  const { runId, callId } = start
  const segments = new Segments(config, client)
  for (let from = 0; ; ) {
    signal.throwIfAborted()
    const segment = await segments.settled(runId, from)
    if (!segment || (await client.getWorkflow(abortId(runId)))) return 'not_waited_for'
    from = segment.number
    const [input] = segment.status.input as [SegmentStart]
    // An interrupted attempt has already started this segment.
    if (input.by === by) return 'carried_out'
    const end = segment.status.status === 'SUCCESS' ? (segment.status.output as SegmentEnd) : undefined
    if (end?.state.stopReason !== 'pending') return 'not_waited_for'
    if (end.state.pending.some((call) => call.callId === callId)) {
      const outcome = await startNextSegment(start, { segment, input, end }, context)
      if (outcome) return outcome
    } else await sleep(1000, undefined, { signal, ref: false })
  }
}

interface WorkflowArguments {
  readonly config: DbosConfig
  readonly client: DBOSClient
  /** The decision's workflow id. */
  readonly by: string
  /** Aborts when the worker is closed. */
  readonly signal: AbortSignal
}

interface PendingSegment {
  readonly segment: Segment
  readonly input: SegmentStart
  readonly end: SegmentEnd
}

/**
 * Starts the segment that follows the pending one. Returns undefined if another decision has started that segment
 * first.
 */
async function startNextSegment(
  { runId, callId, decision }: DecisionStart,
  { segment, input, end }: PendingSegment,
  { config, client, by }: WorkflowArguments,
): Promise<DecisionOutcome | undefined> {
  const decisions = { [callId]: decision as unknown as Decision }
  const refused = await findRejection(config, end, decisions)
  if (refused !== undefined) return { refused }
  const workflowID = segmentId(runId, segment.number + 1)
  const start: SegmentStart = {
    ...input,
    state: { ...end.state, decisions: { ...end.state.decisions, ...decisions } },
    toolCalls: end.toolCalls,
    steps: end.steps,
    by,
  }
  const version = input.options.allowChangedTools ? {} : await versionFor(config, end.state, segment.status)
  const workflow = { workflowName: runWorkflow(config.agent.name), queueName: config.namespace }
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

/**
 * Cancels all segments of a run and its child runs. A segment that starts later finds the abort's workflow and ends.
 */
export async function cancelSegments({ runId }: AbortStart, client: DBOSClient): Promise<void> {
  const ids: string[] = []
  for (let segment = 0; await client.getWorkflow(segmentId(runId, segment)); segment++)
    ids.push(segmentId(runId, segment))
  await client.cancelWorkflows(ids, { cancelChildren: true })
}

/**
 * Returns the worker version that can continue a run. This is any version (`{}`) if the tools are unchanged, and
 * otherwise the version that created the state.
 */
async function versionFor(
  { agent }: DbosConfig,
  { definitionHash }: RunState,
  { applicationVersion }: WorkflowStatus,
): Promise<{ readonly appVersion?: string }> {
  if (applicationVersion === undefined || (await hasToolsOf(agent, definitionHash))) return {}
  return { appVersion: applicationVersion }
}
