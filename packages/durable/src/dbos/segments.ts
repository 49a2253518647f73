import type { RunState } from '@capstan/core'
import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { RunStatus } from '../durable-agent.js'
import type { Recorded, RecordedError } from '../recorded.js'
import { type RoundEnd, toRoundEnd } from '../segment.js'
import type { Plan } from './engine.js'
import {
  type AbortStart,
  type DecisionStart,
  decisionsOf,
  likePrefix,
  type RoundStart,
  roundId,
  runWorkflow,
  workerOf,
} from './stored.js'

/** A round of a run, and how the engine says that it stands. */
export interface Round {
  readonly number: number
  readonly status: WorkflowStatus
}

/** How many rounds are asked about at a time. */
const page = 8

/** The runs of one agent, as they are looked for. */
export class Rounds {
  readonly #plan: Plan
  readonly #client: DBOSClient

  constructor(plan: Plan, client: DBOSClient) {
    this.#plan = plan
    this.#client = client
  }

  /** The round that a run is in, with all that is kept of it; undefined where this agent has no such run. */
  async latest(runId: string): Promise<Round | undefined> {
    const found = await this.#glance(runId, 0)
    return found && this.#whole(found)
  }

  /** The same once nobody works on it any more. */
  async settled(runId: string, from = 0): Promise<Round | undefined> {
    let at = from
    for (const ms of pauses()) {
      const found = await this.#glance(runId, at)
      if (!found || !isActive(found.status)) return found && this.#whole(found)
      at = found.number
      await new Promise((resolve) => setTimeout(resolve, ms))
    }
  }

  /** Whether a run that waits has decisions that are about to be carried out, or has been gone on with by one. */
  async isDeciding(runId: string, { number, status }: Round): Promise<boolean> {
    const end = status.output as RoundEnd | null | undefined
    if (end?.state.stopReason !== 'pending') return false
    const decisions = await this.#client.listWorkflows({
      workflow_id_prefix: likePrefix(decisionsOf(runId)),
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
  async #glance(runId: string, from: number): Promise<Round | undefined> {
    let found: Round | undefined
    for (let first = from; ; first += page) {
      const workflowIDs = Array.from({ length: page }, (_, at) => roundId(runId, first + at))
      const some = await this.#client.listWorkflows({ workflowIDs, loadInput: false, loadOutput: false })
      const own = new Map(some.filter((one) => this.#isOwn(one)).map((one) => [one.workflowID, one]))
      for (const [at, id] of workflowIDs.entries()) {
        const status = own.get(id)
        if (!status) return found
        found = { number: first + at, status }
      }
    }
  }

  async #whole({ number, status }: Round): Promise<Round> {
    return { number, status: (await this.#client.getWorkflow(status.workflowID)) ?? status }
  }

  #isOwn({ workflowName, applicationName }: WorkflowStatus): boolean {
    const { agent, place } = this.#plan
    return workflowName === runWorkflow(agent.name) && applicationName === place
  }
}

export function isActive({ status }: WorkflowStatus): boolean {
  return status === 'PENDING' || status === 'ENQUEUED' || status === 'DELAYED'
}

/** Longer the longer one waits: 20 ms to a second. */
function* pauses(): Generator<number, never> {
  for (let ms = 20; ; ms = Math.min(ms * 1.3, 1000)) yield ms
}

/** What else is known of a run. */
interface Notes {
  readonly client: DBOSClient
  /** How it was ended, if it was. */
  readonly aborted: AbortStart | undefined
  readonly isSetAside: boolean
}

/** Where a run stands, by the round that it is in. */
export async function toStatus(
  runId: string,
  { status: round }: Round,
  { client, aborted, isSetAside }: Notes,
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
    ...(round.executorId ? { worker: workerOf(round.executorId) } : {}),
    ...(round.applicationVersion ? { version: round.applicationVersion } : {}),
  }
  if (round.status === 'SUCCESS') {
    const { state } = round.output as RoundEnd
    const kept = { ...facts, steps: state.turn, usage: state.usage }
    if (state.stopReason === 'pending' && aborted) return { ...kept, ...ended }
    if (state.stopReason === 'pending') return { ...kept, phase: 'pending', pending: state.pending }
    return { ...kept, phase: 'ended', ...(state.stopReason ? { stopReason: state.stopReason } : {}) }
  }
  const [{ state }] = round.input as [RoundStart]
  const steps = state.turn + (await countAnswers(client, round.workflowID))
  if (round.status === 'ERROR') return { ...facts, steps, phase: 'failed', error: errorOf(round.error) }
  if (isSetAside || round.status === 'MAX_RECOVERY_ATTEMPTS_EXCEEDED')
    return { ...facts, steps, phase: 'set_aside' }
  if (round.status === 'CANCELLED') return { ...facts, steps, ...ended }
  return { ...facts, steps, phase: round.status === 'PENDING' ? 'running' : 'queued' }
}

async function countAnswers(client: DBOSClient, workflowID: string): Promise<number> {
  const steps = (await client.listWorkflowSteps(workflowID)) ?? []
  return steps.filter(({ name, output }) => /^t\d+\/model$/.test(name) && (output as Recorded | null)?.ok)
    .length
}

/** What a run failed with, as the engine has it. */
export function recordedOf(error: unknown): RecordedError {
  const { capstan, message } = Object(error) as {
    readonly capstan?: RecordedError
    readonly message?: string
  }
  return capstan ?? { message: message ?? String(error) }
}

function errorOf(error: unknown): { readonly code: string; readonly message: string } {
  const { code = 'api', message } = recordedOf(error)
  return { code, message }
}

/** A run that waited, and was ended while it did. */
export async function abortedEnd(
  { agent }: Plan,
  state: RunState,
  toolCalls: RoundStart['toolCalls'] = [],
): Promise<RoundEnd> {
  const result = await agent.run(state, {
    signal: AbortSignal.abort(),
    allowChangedTools: true,
    silent: true,
    context: undefined as never,
  })
  return toRoundEnd(result, toolCalls)
}
