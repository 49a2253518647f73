import type { RunStatus } from '../durable-agent.js'
import type { KeptRun } from './kept-run.js'

/** Where a run stands, by what is kept of it. */
export function toStatus(runId: string, { state, phase, error, attempts, worker }: KeptRun): RunStatus {
  return {
    runId,
    phase,
    steps: state.turn,
    usage: state.usage,
    pending: phase === 'pending' ? state.pending : [],
    attempts,
    worker,
    ...(phase === 'ended' && state.stopReason ? { stopReason: state.stopReason } : {}),
    ...(phase === 'failed' && error ? { error: { code: error.code ?? 'api', message: error.message } } : {}),
  }
}
