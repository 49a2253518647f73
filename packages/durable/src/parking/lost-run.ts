import { CapstanError } from '@capstan/core'

/** Somebody else works on the run now: what is done here counts for nothing any more. */
export function lostRun(runId: string, worker: string): CapstanError {
  const message = `The run "${runId}" was taken up by another worker (${worker}). This one has stopped; ask for its result.`
  return new CapstanError('conflict', message, { evidence: { runId, worker } })
}
