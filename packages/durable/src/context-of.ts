import { setTimeout as sleep } from 'node:timers/promises'
import { CapstanError, type Json } from '@capstan/core'

/** Pauses between tries: what makes a context may be away for a moment, and a run ends by a failure for good. */
const pauses = [100, 500, 2000, 5000]

interface Maker {
  readonly context?: ((runId: string, data: Json | undefined) => unknown) | undefined
}

/** The context of a run. @throws CapstanError `api` when it cannot be made, tried five times */
export async function contextOf(
  { context }: Maker,
  {
    runId,
    data,
    signal,
  }: { readonly runId: string; readonly data?: Json | undefined; readonly signal: AbortSignal },
): Promise<unknown> {
  for (let tries = 0; ; tries++)
    try {
      return await context?.(runId, data)
    } catch (cause) {
      const ms = pauses[tries]
      if (ms === undefined) {
        const message = `The context of the run "${runId}" could not be made: ${cause}`
        throw new CapstanError('api', message, { cause, evidence: { runId } })
      }
      await sleep(ms, undefined, { signal })
    }
}
