import { createHash } from 'node:crypto'
import { CapstanError } from '@capstan/core'

/** @throws CapstanError `invalid_request` for what is no id of a run */
export function checkRunId(id: unknown): asserts id is string {
  const isId = typeof id === 'string' && id !== '' && id.length <= most
  if (isId && !/[\p{Cc}\p{Cs}]/u.test(id)) return
  const message = `The id of a run is text of 1 to ${most} characters, none of them a control character.`
  throw new CapstanError('invalid_request', message)
}

const most = 500

/** The name of a run where names are files: a part to read, and a hash, so that no id leads out of its folder or to another run's file. */
export function runName(id: string): string {
  const words = id.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 32)
  return `${['run', ...words].join('-').slice(0, 40)}-${hash}`
}

/** Somebody else came first. */
export function runConflict(runId: string): CapstanError {
  const message = `The run "${runId}" was changed by somebody else meanwhile. Nothing was kept. Load it and look again.`
  return new CapstanError('conflict', message, { evidence: { runId }, retryable: true })
}
