import type { PendingCall } from '@capstan/core'
import type { HandlerContext } from '../context.js'
import type { DecidedBefore, TokenDecisions } from '../decisions-route.js'
import { decide } from './decide.js'
import { decidedOn, type FoundRun, type StoredDecision, toFoundRun, waitOf } from './record.js'

/** Returns the operations that token holders can use, on the runs of all users. */
export function tokenDecisions(handler: HandlerContext, request: Request): TokenDecisions {
  const { runs } = handler
  const find = async (runId: string): Promise<FoundRun | undefined> => {
    const stored = await runs.store.get(runId)
    const found = stored && toFoundRun(runId, stored)
    return found && runs.isKept(found.entry) ? found : undefined
  }
  return {
    async findPending(runId, callId) {
      const found = await find(runId)
      const call = found && callOf(found, callId)
      if (!call || !found.record.state) return undefined
      const before = decidedOn(callId, found.record)
      const { definitionHash } = found.record.state
      return { agent: found.entry.agent, call, definitionHash, ...(before && { decided: toDecided(before) }) }
    },
    async decide(runId, callId, decision) {
      const found = await find(runId)
      const before = found && decidedOn(callId, found.record)
      if (before) return toDecided(before)
      if (!found) return undefined
      const ctx = { handler, request, user: { id: found.entry.owner } }
      const by = crypto.randomUUID()
      await decide(runs, found, {
        decisions: { [callId]: decision },
        how: { sent: found.record.start.sent },
        ctx,
        by,
      })
      // Another request may have made the same decision concurrently. Only the first request succeeds.
      const now = await find(runId)
      const kept = now && decidedOn(callId, now.record)
      return kept && kept.by !== by ? toDecided(kept) : undefined
    },
  }
}

/** Returns a call that is pending or was decided. Undefined if the run has no such call. */
function callOf({ record }: FoundRun, callId: string): PendingCall | undefined {
  const asked = record.segments.flatMap((segment) => segment.asked)
  return waitOf(callId, record)?.call ?? asked.findLast((one) => one.callId === callId)
}

function toDecided({ decision, at, isExpired }: StoredDecision): DecidedBefore {
  return { decision: decision.type, at, ...(isExpired && { isExpired }) }
}
