import type { DBOSClient, WorkflowStatus } from '@dbos-inc/dbos-sdk'
import type { RoundEnd } from '../round-end.js'
import { decisionId, roundId } from './names.js'

/** A round of a run, and how the engine says that it stands. */
export interface Round {
  readonly number: number
  readonly status: WorkflowStatus
}

/** The round that a run is in, from one on that it is known to have; undefined where there is no such run. */
export async function latestRound(client: DBOSClient, runId: string, from = 0): Promise<Round | undefined> {
  let found: Round | undefined
  for (let number = from; ; number++) {
    const status = await client.getWorkflow(roundId(runId, number))
    if (!status) return found
    found = { number, status }
  }
}

export function isActive({ status }: WorkflowStatus): boolean {
  return status === 'PENDING' || status === 'ENQUEUED' || status === 'DELAYED'
}

/** The round that a run is in once nobody works on it any more. */
export async function settledRound(
  client: DBOSClient,
  runId: string,
  { from = 0, signal }: { readonly from?: number; readonly signal?: AbortSignal } = {},
): Promise<Round | undefined> {
  let at = from
  for (const ms of pauses()) {
    signal?.throwIfAborted()
    const round = await latestRound(client, runId, at)
    if (!round || !isActive(round.status)) return round
    at = round.number
    await new Promise((resolve) => setTimeout(resolve, ms))
  }
}

/** Whether a run that waits has decisions that are about to be carried out. */
export async function isDeciding(client: DBOSClient, runId: string, { status }: Round): Promise<boolean> {
  const end = status.output as RoundEnd | null | undefined
  if (end?.state.stopReason !== 'pending') return false
  const decisions = await client.listWorkflows({
    workflow_id_prefix: decisionId(runId, '', 0),
    status: ['ENQUEUED', 'PENDING'],
    loadInput: false,
  })
  return decisions.length > 0
}

/** Longer the longer one waits: 20 ms to a second. */
function* pauses(): Generator<number, never> {
  for (let ms = 20; ; ms = Math.min(ms * 1.3, 1000)) yield ms
}
