import type { Decisions } from '@capstan/core'
import type { RunEntry } from '@capstan/stores'
import type { RequestContext } from '../context.js'
import type { RunOwner } from '../start-run.js'
import { type AppliedDecision, checkDecision, judge } from './decisions.js'
import type { Continuation } from './plan.js'
import {
  clientState,
  decidedOn,
  type FoundRun,
  newestSegment,
  readRecord,
  type Segment,
  type StoredDecision,
  segmentOf,
  waitOf,
  withRecord,
} from './record.js'
import type { Following, Runs } from './runs.js'
import { ChangedMeanwhile } from './store.js'
import { takeOver } from './take-over.js'

/** Decisions, the user who made them, and how to continue the run. */
export interface Deciding {
  readonly decisions: Decisions
  readonly how: Continuation
  readonly ctx: RunOwner
  /** Set if the calls expired without a decision. */
  readonly isExpired?: true
  /** A random id for this request, stored with the decision, so that the request can recognize its own decision. */
  readonly by?: string
}

/**
 * Returns the run that a page's decisions apply to: the run that they name, or the user's newest run with one of their
 * calls. Undefined if there is none.
 */
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

/**
 * Decides on pending calls, in any process. The run continues here if no process is executing it.
 * @throws HttpError 409 for a decision that differs from the first one, 410 for one that comes too late, 404 for a call
 * that is not pending, 429 when too many runs are active; CapstanError for a decision that cannot be applied
 */
export async function decide(runs: Runs, found: FoundRun, deciding: Deciding): Promise<Following> {
  const { decisions, isExpired } = deciding
  for (let now = found; ; now = await runs.again(now)) {
    const { fresh, repeated } = judge(now, decisions, isExpired ? undefined : runs.clock.now())
    const isOpen = segmentOf(now.record, newestSegment(now.record))?.to === undefined
    const isFresh = Object.keys(fresh).length > 0
    if (isFresh) await checkAll(runs, now, fresh)
    const next = !isFresh
      ? await followAgain(runs, now, repeated, deciding)
      : isOpen
        ? await tellHolder(runs, now, fresh, deciding)
        : await goOn(runs, now, fresh, deciding)
    if (next) return next
  }
}

async function checkAll(runs: Runs, { entry, record }: FoundRun, decisions: Decisions): Promise<void> {
  const agent = runs.agentOf(entry)
  for (const [callId, decision] of Object.entries(decisions)) {
    const { call } = waitOf(callId, record) ?? {}
    if (call) await checkDecision(agent, call, decision)
  }
}

/** Follows the segment that the same decisions started. Restarts the segment if it failed or was aborted. */
async function followAgain(
  runs: Runs,
  found: FoundRun,
  repeated: readonly StoredDecision[],
  { how, ctx }: Deciding,
): Promise<Following | undefined> {
  const { entry, record } = found
  const from = Math.min(...repeated.map(({ segment }) => segment))
  const isOver = entry.status === 'failed' || record.state?.stopReason === 'aborted'
  const last = segmentOf(record, newestSegment(record))
  if (!isOver || entry.lease || !record.state || !last) return runs.following(found, from)
  const segment = { ...last, ...givenBy(how, last), after: last.to ?? record.stateAt }
  const { to: _, result: __, error: ___, ...again } = segment
  return runs.goOn(found, { segment: again, decided: record.decided, how, from }, ctx)
}

function givenBy({ tools, head }: Continuation, last: Segment | undefined): Pick<Segment, 'tools' | 'head'> {
  return { tools: tools ?? last?.tools ?? [], head: head ?? last?.head ?? {} }
}

/**
 * Stores decisions on the calls of an unfinished segment and notifies its process. If that process has died, continues
 * the run here. Undefined if the entry has changed in the meantime.
 */
async function tellHolder(
  runs: Runs,
  found: FoundRun,
  fresh: Decisions,
  deciding: Deciding,
): Promise<Following | undefined> {
  const isStored = await runs.change(found, (entry): RunEntry => {
    const record = readRecord(found.runId, entry)
    const isDecided = Object.keys(fresh).some((callId) => decidedOn(callId, record))
    if (isDecided) throw new ChangedMeanwhile()
    const decided = { ...record.decided, ...stamped(runs, fresh, newestSegment(record), deciding) }
    return withRecord(entry, { decided, signals: record.signals + 1 })
  })
  if (!isStored) return undefined
  const now = await runs.again(found)
  await takeOver(runs, now)
  return runs.following(now)
}

/** Continues a pending run that no process is executing. Undefined if another process was first. */
async function goOn(
  runs: Runs,
  found: FoundRun,
  fresh: Decisions,
  deciding: Deciding,
): Promise<Following | undefined> {
  const { how, ctx } = deciding
  const { record } = found
  const newest = newestSegment(record)
  const last = segmentOf(record, newest)
  const segment: Segment = {
    after: last?.to ?? record.stateAt,
    decisions: fresh,
    asked: Object.values(record.waits).map(({ call }) => call),
    before: clientState(record.state),
    ...givenBy(how, last),
  }
  const decided = { ...record.decided, ...stamped(runs, fresh, newest + 1, deciding) }
  return runs.goOn(found, { segment, decided, how }, ctx)
}

/** Returns decisions in their stored form. `segment` is the number of the segment that they start. */
export function stamped(
  { clock }: Runs,
  decisions: Decisions,
  segment: number,
  { isExpired, by }: Pick<Deciding, 'isExpired' | 'by'> = {},
): Readonly<Record<string, StoredDecision>> {
  const at = clock.now()
  return Object.fromEntries(
    Object.entries(decisions).map(([callId, decision]) => [
      callId,
      { decision, at, segment, ...(isExpired && { isExpired }), ...(by !== undefined && { by }) },
    ]),
  )
}

/** Aborts a run, in any process. Does not change a pending run that no process is executing. */
export async function stopRun(runs: Runs, found: FoundRun): Promise<void> {
  for (let now = found; runs.isHeld(now); now = await runs.again(now)) {
    const live = runs.liveOf(now.runId)
    if (live) return live.abort(new Error('the client aborted the run'))
    const isStored = await runs.change(now, (entry) => {
      const { signals } = readRecord(now.runId, entry)
      return withRecord(entry, { isAborted: true, signals: signals + 1 })
    })
    if (isStored) return
  }
}
