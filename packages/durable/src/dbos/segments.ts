import { readStepKey } from '@capstan/core/internal'
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { RunStatus } from '../durable-agent.js'
import type { Recorded, RecordedError } from '../recorded.js'
import type { SegmentEnd } from '../segment.js'
import type { DbosConfig } from './engine.js'
import {
  type AbortStart,
  type DecisionStart,
  decisionIdPrefix,
  escapeLike,
  runWorkflow,
  type SegmentStart,
  segmentId,
  workerName,
} from './stored.js'

/** A segment of a run, and the status of its workflow. */
export interface Segment {
  readonly number: number
  readonly status: WorkflowStatus
}

/** The number of segments to look up in one query. */
const pageSize = 8

/** Looks up segments of an agent's runs in the engine's tables. */
export class Segments {
  readonly #config: DbosConfig
  readonly #client: DBOSClient

  constructor(config: DbosConfig, client: DBOSClient) {
    this.#config = config
    this.#client = client
  }

  /** Returns a run's latest segment, with its input and output. Undefined if this agent has no such run. */
  async latest(runId: string): Promise<Segment | undefined> {
    const found = await this.#find(runId, 0)
    return found && this.#load(found)
  }

  /**
   * Waits until no worker is executing a run, then returns the run's latest segment. Undefined if this agent has no
   * such run.
   */
  async settled(runId: string, from = 0): Promise<Segment | undefined> {
    let at = from
    for (const ms of pollDelays()) {
      const found = await this.#find(runId, at)
      if (!found || !isActive(found.status)) return found && this.#load(found)
      at = found.number
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }

  /**
   * Whether a pending run is about to continue: a decision on one of its pending calls is being applied, or has already
   * started the next segment.
   */
  async hasDueDecision(runId: string, { number, status }: Segment): Promise<boolean> {
    const end = status.output as SegmentEnd | null | undefined
    if (end?.state.stopReason !== 'pending') return false
    const decisions = await this.#client.listWorkflows({
      workflow_id_prefix: escapeLike(decisionIdPrefix(runId)),
      status: ['ENQUEUED', 'PENDING'],
    })
    const waitsFor = new Set(end.state.pending.map(({ callId }) => callId))
    const isWaitedFor = decisions.some(({ input }) =>
      waitsFor.has(String((input?.[0] as DecisionStart | undefined)?.callId)),
    )
    // A decision's workflow starts the next segment before it ends, so a completed decision is visible as a newer segment.
    return isWaitedFor || (await this.#find(runId, number))?.number !== number
  }

  /**
   * Finds a run's latest segment. Omits its input and output, because this query is repeated and conversations are
   * long.
   */
  async #find(runId: string, from: number): Promise<Segment | undefined> {
    let found: Segment | undefined
    for (let first = from; ; first += pageSize) {
      const workflowIDs = Array.from({ length: pageSize }, (_, at) => segmentId(runId, first + at))
      const some = await this.#client.listWorkflows({ workflowIDs, loadInput: false, loadOutput: false })
      const own = new Map(some.filter((one) => this.#isOwn(one)).map((one) => [one.workflowID, one]))
      for (const [at, id] of workflowIDs.entries()) {
        const status = own.get(id)
        if (!status) return found
        found = { number: first + at, status }
      }
    }
  }

  async #load({ number, status }: Segment): Promise<Segment> {
    return { number, status: (await this.#client.getWorkflow(status.workflowID)) ?? status }
  }

  #isOwn({ workflowName, applicationName }: WorkflowStatus): boolean {
    const { agent, namespace } = this.#config
    return workflowName === runWorkflow(agent.name) && applicationName === namespace
  }
}

export function isActive({ status }: WorkflowStatus): boolean {
  return status === 'PENDING' || status === 'ENQUEUED' || status === 'DELAYED'
}

/** Yields the delays between polls in milliseconds, increasing from 20 to 1000. */
function* pollDelays(): Generator<number, never> {
  for (let ms = 20; ; ms = Math.min(ms * 1.3, 1000)) yield ms
}

/** Parts of a run's status that are not in its segment. */
interface StatusDetails {
  readonly client: DBOSClient
  /** Set when an abort was requested. */
  readonly aborted: AbortStart | undefined
  readonly isPaused: boolean
}

/** Derives a run's status from its latest segment. */
export async function toRunStatus(
  runId: string,
  { status: segment }: Segment,
  { client, aborted, isPaused }: StatusDetails,
): Promise<RunStatus> {
  const ended = {
    phase: 'ended',
    stopReason: 'aborted',
    ...(aborted?.reason === undefined ? {} : { reason: aborted.reason }),
  } as const
  const facts = {
    runId,
    attempts: segment.recoveryAttempts ?? 0,
    pending: [],
    ...(segment.executorId ? { worker: workerName(segment.executorId) } : {}),
    ...(segment.applicationVersion ? { version: segment.applicationVersion } : {}),
  }
  if (segment.status === 'SUCCESS') {
    const { state } = segment.output as SegmentEnd
    const progress = { ...facts, stepCount: state.stepCount, usage: state.usage }
    if (state.stopReason === 'pending' && aborted) return { ...progress, ...ended }
    if (state.stopReason === 'pending') return { ...progress, phase: 'pending', pending: state.pending }
    return { ...progress, phase: 'ended', ...(state.stopReason ? { stopReason: state.stopReason } : {}) }
  }
  const [{ state }] = segment.input as [SegmentStart]
  const stepCount = state.stepCount + (await countReplies(client, segment.workflowID))
  if (segment.status === 'ERROR')
    return { ...facts, stepCount, phase: 'failed', error: errorOf(segment.error) }
  if (isPaused || segment.status === 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
    return { ...facts, stepCount, phase: 'set_aside' }
  if (segment.status === 'CANCELLED') return { ...facts, stepCount, ...ended }
  return { ...facts, stepCount, phase: segment.status === 'PENDING' ? 'running' : 'queued' }
}

async function countReplies(client: DBOSClient, workflowID: string): Promise<number> {
  const steps = (await client.listWorkflowSteps(workflowID)) ?? []
  return steps.filter(({ name, output }) => {
    const recorded = output as Recorded | null
    return readStepKey(name)?.kind === 'request' && recorded?.ok && Object(recorded.value).message
  }).length
}

/** Converts a failed run's error from the form in which the engine stores it. */
export function storedError(error: unknown): RecordedError {
  const { capstan, message } = Object(error) as {
    readonly capstan?: RecordedError
    readonly message?: string
  }
  return capstan ?? { message: message ?? String(error) }
}

function errorOf(error: unknown): { readonly code: string; readonly message: string } {
  const { code = 'api', message } = storedError(error)
  return { code, message }
}
