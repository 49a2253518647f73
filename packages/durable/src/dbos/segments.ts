import type { RunState } from '@capstan/core'
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { RunStatus } from '../durable-agent.js'
import type { Recorded, RecordedError } from '../recorded.js'
import { type SegmentEnd, toSegmentEnd } from '../segment.js'
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

/** A round of a run, and how the engine says that it stands. */
export interface Segment {
  readonly number: number
  readonly status: WorkflowStatus
}

/** How many rounds are asked about at a time. */
const pageSize = 8

/** The runs of one agent, as they are looked for. */
export class Segments {
  readonly #plan: DbosConfig
  readonly #client: DBOSClient

  constructor(plan: DbosConfig, client: DBOSClient) {
    this.#plan = plan
    this.#client = client
  }

  /** The round that a run is in, with all that is kept of it; undefined where this agent has no such run. */
  async latest(runId: string): Promise<Segment | undefined> {
    const found = await this.#glance(runId, 0)
    return found && this.#whole(found)
  }

  /** The same once nobody works on it any more. */
  async settled(runId: string, from = 0): Promise<Segment | undefined> {
    let at = from
    for (const ms of pollDelays()) {
      const found = await this.#glance(runId, at)
      if (!found || !isActive(found.status)) return found && this.#whole(found)
      at = found.number
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }

  /** Whether a run that waits has decisions that are about to be carried out, or has been gone on with by one. */
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
    // A decision ends after it has begun the next round: one that ended before it was looked for has begun it by now.
    return isWaitedFor || (await this.#glance(runId, number))?.number !== number
  }

  /** Without what is kept: asked again and again, and conversations are long. */
  async #glance(runId: string, from: number): Promise<Segment | undefined> {
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

  async #whole({ number, status }: Segment): Promise<Segment> {
    return { number, status: (await this.#client.getWorkflow(status.workflowID)) ?? status }
  }

  #isOwn({ workflowName, applicationName }: WorkflowStatus): boolean {
    const { agent, namespace: place } = this.#plan
    return workflowName === runWorkflow(agent.name) && applicationName === place
  }
}

export function isActive({ status }: WorkflowStatus): boolean {
  return status === 'PENDING' || status === 'ENQUEUED' || status === 'DELAYED'
}

/** Longer the longer one waits: 20 ms to a second. */
function* pollDelays(): Generator<number, never> {
  for (let ms = 20; ; ms = Math.min(ms * 1.3, 1000)) yield ms
}

/** What else is known of a run. */
interface StatusDetails {
  readonly client: DBOSClient
  /** How it was ended, if it was. */
  readonly aborted: AbortStart | undefined
  readonly isPaused: boolean
}

/** Where a run stands, by the round that it is in. */
export async function toRunStatus(
  runId: string,
  { status: round }: Segment,
  { client, aborted, isPaused: isSetAside }: StatusDetails,
): Promise<RunStatus> {
  const ended = {
    phase: 'ended',
    stopReason: 'aborted',
    ...(aborted?.reason === undefined ? {} : { reason: aborted.reason }),
  } as const
  const facts = {
    runId,
    attempts: round.recoveryAttempts ?? 0,
    pending: [],
    ...(round.executorId ? { worker: workerName(round.executorId) } : {}),
    ...(round.applicationVersion ? { version: round.applicationVersion } : {}),
  }
  if (round.status === 'SUCCESS') {
    const { state } = round.output as SegmentEnd
    const kept = { ...facts, steps: state.turn, usage: state.usage }
    if (state.stopReason === 'pending' && aborted) return { ...kept, ...ended }
    if (state.stopReason === 'pending') return { ...kept, phase: 'pending', pending: state.pending }
    return { ...kept, phase: 'ended', ...(state.stopReason ? { stopReason: state.stopReason } : {}) }
  }
  const [{ state }] = round.input as [SegmentStart]
  const steps = state.turn + (await countReplies(client, round.workflowID))
  if (round.status === 'ERROR') return { ...facts, steps, phase: 'failed', error: errorOf(round.error) }
  if (isSetAside || round.status === 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
    return { ...facts, steps, phase: 'set_aside' }
  if (round.status === 'CANCELLED') return { ...facts, steps, ...ended }
  return { ...facts, steps, phase: round.status === 'PENDING' ? 'running' : 'queued' }
}

async function countReplies(client: DBOSClient, workflowID: string): Promise<number> {
  const steps = (await client.listWorkflowSteps(workflowID)) ?? []
  return steps.filter(({ name, output }) => /^t\d+\/model$/.test(name) && (output as Recorded | null)?.ok)
    .length
}

/** What a run failed with, as the engine has it. */
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

/** A run that waited, and was ended while it did. */
export async function abortedEnd(
  { agent }: DbosConfig,
  state: RunState,
  toolCalls: SegmentStart['toolCalls'] = [],
): Promise<SegmentEnd> {
  const result = await agent.run(state, {
    signal: AbortSignal.abort(),
    allowChangedTools: true,
    silent: true,
    context: undefined as never,
  })
  return toSegmentEnd(result, toolCalls)
}
