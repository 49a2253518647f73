import type { RequestContext } from '../context.js'
import type { AppliedDecision } from './decisions.js'
import type { FoundRun } from './record.js'

/** Returns the user's run that a page has decided on: the one that its decisions name, or the newest with such a call. */
export async function findDecided(
  given: ReadonlyMap<string, AppliedDecision>,
  { handler: { runs }, user }: RequestContext,
): Promise<FoundRun | undefined> {
  for (const [callId, { runId }] of given) {
    const named = runId === undefined ? undefined : await runs.find(user.id, runId)
    const found = named ?? (await runs.newest(user.id, { callId }))
    if (found) return found
  }
  return undefined
}
