import type { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { RunStatus } from '../durable-agent.js'
import type { Recorded, RecordedError } from '../recorded.js'
import type { RoundEnd } from '../round-end.js'
import { workerOf } from './names.js'
import type { Round } from './rounds.js'
import type { AbortStart, RoundStart } from './start.js'

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
