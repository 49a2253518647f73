import type { RunStatus } from '../durable-agent.js'
import type { KeptRun } from './kept-run.js'

/** Where a run stands, by what is kept of it. */
export function toStatus(runId: string, run: KeptRun): RunStatus {
  const { state, phase, error, attempts, worker, aborted } = run
  const { reason } = aborted ?? {}
  return {
    runId,
    phase,
    steps: state.turn,
    usage: state.usage,
    pending: phase === 'pending' ? state.pending : [],
    attempts,
    worker,
    ...(phase === 'ended' && state.stopReason ? { stopReason: state.stopReason } : {}),
    ...(state.stopReason === 'aborted' && reason !== undefined ? { reason } : {}),
    ...(phase === 'failed' && error ? { error: { code: error.code ?? 'api', message: error.message } } : {}),
  }
}
