import { CapstanError } from '@capstan/core'

/** The program that waited is closing. */
export function letGo(runId: string): CapstanError {
  return new CapstanError('stopped', `Nobody waits any longer for the run "${runId}": it was let go of.`)
}
