import type { Decision, PendingCall } from '@capstan/core'
import { reportError } from '../http-error.js'
import type { RunOwner } from '../start-run.js'
import { decide } from './decide.js'
import { tell, toNotice } from './pending.js'
import { type FoundRun, isOver, toFoundRun, waitingCalls } from './record.js'
import type { Runs } from './runs.js'
import { eachRun } from './store.js'
import { takeOver } from './take-over.js'

/** Handles runs that are due: continues runs whose process has died, denies expired calls, and removes old runs. */
export async function sweep(runs: Runs, ctx: Omit<RunOwner, 'user'>): Promise<void> {
  const { store, clock, settings } = runs
  for await (const { runId, ...stored } of eachRun(store, { dueBefore: clock.now() })) {
    try {
      await lookAfter(runs, toFoundRun(runId, stored), ctx)
    } catch (error) {
      reportError(error, ctx.request, settings)
    }
  }
}

async function lookAfter(
  runs: Runs,
  found: FoundRun,
  { handler, request }: Omit<RunOwner, 'user'>,
): Promise<void> {
  const { runId, entry, record } = found
  const { settings } = runs
  const now = runs.clock.now()
  if (isOver(entry)) return runs.store.delete(runId)
  const late = Object.fromEntries(
    waitingCalls(record).flatMap(({ call, expiresAt }) =>
      expiresAt <= now ? [[call.callId, undecided(call)] as const] : [],
    ),
  )
  if (Object.keys(late).length > 0) {
    const ctx = { handler, request, user: { id: entry.owner } }
    const how = { sent: record.start.sent }
    await decide(runs, found, { decisions: late, how, ctx, isExpired: true })
    const calls = Object.keys(late).map((callId) => ({ callId }))
    tell(handler.options.approvals.onExpiry, toNotice(found, calls), ctx)
  } else if (runs.isLost(found)) await takeOver(runs, found)
  else if (entry.status === 'pending' && !entry.lease && entry.updatedAt + settings.keepPendingMs <= now)
    await runs.store.delete(runId)
}

function undecided({ kind }: PendingCall): Decision {
  // Text for the model.
  const reason = 'Nobody decided in time.'
  return kind === 'result' ? { type: 'result', value: { error: reason } } : { type: 'deny', reason }
}
