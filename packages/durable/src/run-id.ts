import { CapstanError, type RunInput } from '@capstan/core'

const most = 500

/** How ids end that are those of parts of a run. */
const ofParts = /\/(round\d+|abort|decision\/.*|t\d+\/child\d+(r\d+)?)$/s

/** @throws CapstanError `invalid_request` for what cannot be the id of a run, on any engine */
export function checkRunId(id: unknown): asserts id is string {
  const isPlain = typeof id === 'string' && id !== '' && id.length <= most && !/[\p{Cc}\p{Cs}]/u.test(id)
  if (isPlain && !ofParts.test(id)) return
  const runId = String(id).slice(0, 100)
  const message = `${JSON.stringify(runId)} cannot be the id of a run: give it 1 to ${most} characters, no control characters, and no end that names a part of a run ("/round1", "/abort").`
  throw new CapstanError('invalid_request', message, { evidence: { runId } })
}

/** The id that a run is given, or has: a state goes on under its own. */
export function runIdOf(input: RunInput, runId: string | undefined): string {
  const isState = typeof input === 'object' && input !== null && 'runId' in input
  return runId ?? (isState ? input.runId : crypto.randomUUID())
}
