import { createHash } from 'node:crypto'
import { CapstanError } from '@capstan/core'

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
