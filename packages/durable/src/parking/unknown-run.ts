import { CapstanError } from '@capstan/core'

export function unknownRun(runId: string): CapstanError {
  const message = `No run "${runId}" is kept here. Start it, or look in the store that it was started with.`
  return new CapstanError('not_found', message, { evidence: { runId } })
}
