import type { AnyRunResult } from '@capstan/core'

/** How a run ended, as callers may read it: the conversation and the state stay in the house. */
export function toPublicResult(result: AnyRunResult) {
  const { stopReason, limit, text, refusal, steps, artifacts, usage, pending, undelivered } = result
  const { output, runId } = result.state
  return {
    runId,
    stopReason,
    text,
    steps,
    usage,
    artifacts,
    ...(limit ? { limit } : {}),
    ...(refusal ? { refusal } : {}),
    ...(output === undefined ? {} : { output }),
    ...(pending ? { pending } : {}),
    ...(undelivered ? { undelivered } : {}),
  }
}
