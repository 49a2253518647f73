import type { RunStatus } from '../durable-agent.js'
import { type Sight, wasCancelled } from './look-at-run.js'

/** Where a run stands, as its callers are told. */
export function toStatus(runId: string, sight: Sight): RunStatus {
  const { row, notes, phase, reason } = sight
  const { waiting, ended } = notes
  const progress = waiting ? { steps: waiting.state.turn, usage: waiting.state.usage } : notes.progress
  const stopReason = wasCancelled(row) ? 'aborted' : ended?.stopReason
  const error = ended?.error ?? errorOf(sight)
  return {
    runId,
    phase,
    ...(stopReason ? { stopReason } : {}),
    ...(stopReason === 'aborted' && reason !== undefined ? { reason } : {}),
    ...progress,
    pending: phase === 'pending' ? (waiting?.state.pending ?? []) : [],
    ...(error ? { error: { code: error.code ?? 'api', message: error.message } } : {}),
    attempts: Number(row.retry_count ?? 0),
    ...(row.endpoint ? { worker: String(row.endpoint) } : {}),
    ...(row.deployment ? { version: String(row.deployment) } : {}),
  }
}

/** What keeps it from getting on, as Restate tells it. */
function errorOf({ row, failure }: Sight): { readonly code: string; readonly message: string } | undefined {
  if (failure === undefined || wasCancelled(row)) return undefined
  return { code: /This worker has other tools/.test(failure) ? 'conflict' : 'api', message: failure }
}
