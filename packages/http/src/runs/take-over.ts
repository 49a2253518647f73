import type { EventOf, RunState } from '@capstan/core'
import { currentStep, exceededLimits, lastWords, reasoningOf, storeEndedRun } from '@capstan/core/internal'
import type { StoredEvent } from '@capstan/stores'
import { sessionOf } from '../start-run.js'
import { settingsOf } from './pending.js'
import { toStoredError } from './plan.js'
import { type FoundRun, type Segment, type StoredResult, toFoundRun, withEnd, withRecord } from './record.js'
import { recoveredState } from './recover.js'
import type { Runs } from './runs.js'
import { isConflict, unlessConflict } from './store.js'

/** Continues a run whose process has died, from its last stored state. Does nothing if another process was first. */
export async function takeOver(runs: Runs, found: FoundRun): Promise<void> {
  const { runId, entry, version, record } = found
  if (runs.isClosing || !runs.isLost(found)) return
  const by = runs.newHolder()
  const { notBegun } = record
  // If the process released the run, the run did not end the process.
  const takeOvers = record.takeOvers + (notBegun ? 0 : 1)
  const taken = withRecord(runs.heldBy(by, entry), { takeOvers, notBegun: undefined })
  const put = await unlessConflict(() => runs.store.put(runId, taken, version))
  if (put === undefined) return
  const own = toFoundRun(runId, { entry: taken, version: put })
  const { state } = record
  // A pending run may have decisions to apply.
  const isOver = state !== undefined && (state.stopReason ?? 'pending') !== 'pending'
  if (isOver && takeOvers <= mostTakeOvers) return finish(runs, own, state)
  const { last, events } = await markRecovery(runs, found)
  const agent = runs.findAgent(entry)
  if (!state || !agent || runs.settings.onLost === 'fail' || takeOvers > mostTakeOvers) {
    const message =
      takeOvers > mostTakeOvers
        ? 'Every process that executed this run has died.'
        : 'The process that executed this run has died.'
    return end(runs, own, { to: last, error: { status: 500, code: 'stopped', message, headers: {} } })
  }
  const mayRunAgain = ({ name, callId, parentCallId }: EventOf<'tool-start'>) =>
    settingsOf(agent, name)?.effects === 'read' ||
    (parentCallId === undefined && notBegun?.includes(callId) === true)
  const input = { ...recoveredState(state, events, mayRunAgain), runId }
  await runs.resume(own, { input, last, by })
}

/** Maximum number of takeovers without progress. After that, the run itself counts as the cause of the crashes. */
const mostTakeOvers = 5

/**
 * Ends a run whose process died after the last step. Its messages may be missing from the session, and its result has
 * not been stored yet.
 */
async function finish(runs: Runs, found: FoundRun, state: RunState): Promise<void> {
  const { runId, entry, record } = found
  const { sessions, maxSeconds } = runs.settings
  const to = record.stateAt
  try {
    if (entry.session !== undefined && sessions) {
      const { userIds, branch } = record.start
      const user = { id: entry.owner }
      const conversation = { sessions, user, runId, statuses: new Map(), maxSeconds }
      const ref = sessionOf({ session: entry.session, branch, userIds }, conversation)
      // The process that had the run may still be alive, and be storing the same messages at this moment.
      await storeEndedRun(state, ref).catch((error) => {
        if (isConflict(error)) return storeEndedRun(state, ref)
        throw error
      })
    }
  } catch (error) {
    // Another run has continued the session.
    if (isConflict(error)) return end(runs, found, { to, error: toStoredError(error) })
    throw error
  }
  return end(runs, found, { to, result: resultOf(state) })
}

/** Returns the result of a run that has ended, from its last state. */
function resultOf(state: RunState): StoredResult {
  const { stopReason = 'done', limit, stepCount, artifacts = [], usage, messages } = state
  const task = messages.findLastIndex(({ role }) => role === 'user')
  const last = messages.slice(task + 1).findLast(({ role }) => role === 'assistant')
  const text = lastWords(state, task)
  const exceeded = exceededLimits(state)
  const reasoning = reasoningOf(last)
  const { refusal } = Object(last) as { readonly refusal?: unknown }
  return {
    ...{ stopReason, text, stepCount, usage },
    artifacts: artifacts as StoredResult['artifacts'],
    ...(limit && { limit }),
    ...(exceeded.length > 0 && { exceeded }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(typeof refusal === 'string' && { refusal }),
  }
}

/**
 * Adds an event that marks where the run continues. After that, the previous process can no longer store events.
 * Returns the events after the stored state.
 */
async function markRecovery(
  { store }: Runs,
  { runId, record }: FoundRun,
): Promise<{ readonly last: number; readonly events: readonly StoredEvent[] }> {
  const { state, stateAt } = record
  const step = state ? currentStep(state) : 0
  const events: StoredEvent[] = []
  for (;;) {
    const last = events.at(-1)?.seq ?? stateAt
    const page = await store.read(runId, last)
    events.push(...page)
    if (page.length > 0) continue
    const seq = last + 1
    const event = { type: 'run-recovered', runId, seq, step }
    const isMarked = await unlessConflict(async () => {
      await store.append(runId, [{ seq, event }], last)
      return true
    })
    if (isMarked) return { last: seq, events }
  }
}

async function end(
  { store, clock, settings }: Runs,
  { runId, entry, version, record }: FoundRun,
  how: Pick<Segment, 'to' | 'result' | 'error'>,
): Promise<void> {
  const { lease: _, ...rest } = entry
  const now = clock.now()
  const status = how.error ? 'failed' : 'ended'
  const over = { status, updatedAt: now, dueAt: now + settings.keepRunsMs } as const
  await store.put(runId, withRecord({ ...rest, ...over }, { segments: withEnd(record, how) }), version)
}
