import type { RunEvent } from '@capstan/core'
import { joinSignals } from '@capstan/core/internal'
import type { StoredEvent } from '@capstan/stores'
import { HttpError, reportError } from '../http-error.js'
import type { RunOwner } from '../start-run.js'
import {
  type EndedRun,
  type FoundRun,
  isOver,
  newestSegment,
  type StoredError,
  segmentOf,
  toResult,
} from './record.js'
import type { Following, Runs } from './runs.js'
import type { RunSegment } from './segment.js'
import { takeOver } from './take-over.js'

/** How the followed part of a run ended: with a result or with an error. */
export type FollowedEnd = { readonly result: EndedRun } | { readonly error: StoredError }

/**
 * Yields a run's stored events and then each new one, even if another process is executing the run. Returns how the
 * followed part ended; undefined if the reader or the handler has closed. If the run's process has died, this process
 * continues the run.
 * @throws HttpError 410 if these events are no longer kept, 404 if the run is no longer kept
 */
export async function* readRun(
  runs: Runs,
  following: Following,
  {
    owner,
    signal: given,
    ctx,
  }: { readonly owner: string; readonly signal: AbortSignal; readonly ctx: Omit<RunOwner, 'user'> },
): AsyncGenerator<RunEvent, FollowedEnd | undefined> {
  const { runId } = following
  const { signal, release } = joinSignals([given, runs.closed])
  let { live } = following
  // If the segment ended in this process, all its events are known, so its readers reach the end even while the handler
  // is closing.
  const isCut = () => given.aborted || (runs.closed.aborted && !live?.hasEnded)
  let at = following.after
  let isAtEnd = false
  let lookedAt = 0
  let seen: RunSegment | undefined
  try {
    while (!isCut()) {
      live = runs.liveOf(runId) ?? live
      const known = live?.recent(at)
      // If a segment has ended, another process may have stored more events after the segment's last one.
      const isKnown = known && (known.length > 0 || !live?.isOver || runs.closed.aborted)
      const events = isKnown ? known : await runs.store.read(runId, at)
      for (const stored of events) {
        if (stored.seq !== at + 1) throw gone(stored.seq)
        at = stored.seq
        const event = eventOf(stored)
        yield event
        if (isCut()) return undefined
        isAtEnd = event.type === 'run-end' && event.parentCallId === undefined
        // What follows may belong to a later segment.
        if (isAtEnd) break
      }
      const isQuiet = events.length === 0 && (live?.isOver ?? true)
      if (isAtEnd || (isQuiet && (live !== seen || Date.now() - lookedAt >= lookMs))) {
        lookedAt = Date.now()
        seen = live?.isOver ? live : undefined
        const found = await lookAt(runs, { runId, owner, live })
        const end = endOf(found, following, at)
        if (end) return end
        await takeOver(runs, found).catch((error) => reportError(error, ctx.request, runs.settings))
      }
      if (events.length > 0) continue
      if (signal.aborted) return undefined
      await changed(runs, runId, signal)
    }
    return undefined
  } finally {
    release()
  }
}

/**
 * Checks that the next event that a client wants to read is still stored.
 * @throws HttpError 410 if it is not
 */
export async function checkKept({ store }: Runs, { runId, after }: Following): Promise<void> {
  const [first] = await store.read(runId, after, 1)
  if (first && first.seq > after + 1) throw gone(first.seq)
}

/** Milliseconds without events after which a run is checked, because its process may have died. */
const lookMs = 2000

function eventOf({ event }: StoredEvent): RunEvent {
  return event as unknown as RunEvent
}

function gone(first: number): HttpError {
  return new HttpError(
    410,
    'gone',
    `Events up to ${first - 1} are no longer kept. Read the events after ${first - 1}.`,
  )
}

/**
 * Returns a run's current entry: from memory, unless another process may have changed it.
 * @throws HttpError 404 if it is no longer stored
 */
async function lookAt(
  runs: Runs,
  { runId, owner, live }: Pick<Following, 'runId' | 'live'> & { readonly owner: string },
): Promise<FoundRun> {
  const known = live?.found
  if (known && (!live?.isOver || isOver(known.entry) || runs.closed.aborted)) return known
  const stored = await runs.find(owner, runId)
  // The run may have been removed from the store.
  const found = known && known.version >= (stored?.version ?? 0) ? known : stored
  if (found) return found
  throw new HttpError(404, 'not_found', 'No such run.')
}

/** Returns the end of a followed segment, once a reader has read its last event. Undefined before that. */
function endOf({ entry, record }: FoundRun, { segment }: Following, at: number): FollowedEnd | undefined {
  const isOpen = entry.lease !== undefined || entry.status === 'running'
  if (segment === undefined && isOpen) return undefined
  const { to, result, error } = segmentOf(record, segment ?? newestSegment(record)) ?? {}
  if (to === undefined || at < to) return undefined
  if (error) return { error }
  return result && record.state ? { result: toResult(result, record.state) } : undefined
}

/** Waits until a run may have changed. */
async function changed(runs: Runs, runId: string, signal: AbortSignal): Promise<void> {
  const live = runs.liveOf(runId)
  if (live && !live.isOver) return live.changed(signal)
  const { watch } = runs.store
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, watch ? watchedMs : pollMs)
    const stop = watch?.call(runs.store, runId, done)
    signal.addEventListener('abort', done)
    function done() {
      clearTimeout(timer)
      stop?.()
      signal.removeEventListener('abort', done)
      resolve()
    }
    if (signal.aborted) done()
  })
}

/** Milliseconds between two checks for events from another process. */
const pollMs = 250
/** Milliseconds between two checks for events from another process, if the store reports changes. */
const watchedMs = 1000
