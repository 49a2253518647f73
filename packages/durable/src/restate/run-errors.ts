import { CapstanError } from '@capstan/core'

/** It was begun too often without getting on. */
export function setAside(
  runId: string,
  { stuck, failure }: { readonly stuck: readonly string[]; readonly failure?: string },
): CapstanError {
  const message = `The run "${runId}" was set aside: it was begun too often without getting on. Mend what is in its way and resume it ("restate invocations resume ${stuck[0]}"), or abort it. Last it failed with: ${failure}`
  return new CapstanError('stopped', message, { evidence: { runId, failure } })
}

/** Nobody can go on with it. */
export function toolsChanged(runId: string): CapstanError {
  const message = `The run "${runId}" was begun with other tools, and no worker has those any more. Start a worker with them, at a URL of its own.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** A decision came too late. */
export function hasEnded(runId: string, callId: string): CapstanError {
  const message = `There is a decision on "${callId}", which does not wait for one: the run "${runId}" has ended.`
  return new CapstanError('invalid_request', message, { evidence: { callId } })
}
