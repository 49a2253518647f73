import { CapstanError, type Decisions, isCapstanError, type RunState } from '@capstan/core'
import type { RecordedError } from '../recorded.js'
import type { SegmentEnd } from '../segment.js'
import type { RunSettings } from '../settings.js'

/** Where runs are kept that wait, or are worked on. */
export interface RunStateStore {
  /** The run of this id, or undefined. @throws CapstanError `invalid_request` for no id, `invalid_state` for one that cannot be read */
  load(runId: string): Promise<StoredRun | undefined>
  /**
   * Keeps a run in place of the one that has this version; 0 where there is none yet. Gives its own version. When it
   * returns the run is kept for good; when it throws, the one before is.
   * @throws CapstanError `conflict` when another version is kept: somebody else came first
   */
  save(runId: string, run: RunRecord, version: number): Promise<number>
  /** Forgets a run; one that is not there is forgotten already. */
  delete(runId: string): Promise<void>
  /** The ids of all runs, in no order. */
  list(): Promise<readonly string[]>
}

export interface StoredRun {
  readonly run: RunRecord
  /** Changes with each save, from 1 up. */
  readonly version: number
}

/** A run as it is kept between the steps of who works on it. Plain JSON. */
export interface RunRecord {
  /** The name of the agent that it was started with. */
  readonly agent: string
  /** As it was before the last step that was begun, or at its end. */
  readonly state: RunState
  readonly phase: 'running' | 'pending' | 'ended' | 'failed'
  /** Of what it was started with: two runs of one id must be of one. */
  readonly digest: string
  readonly settings: RunSettings
  /** All that was decided of its calls, by call id, also of those that do not wait yet. */
  readonly decisions: Decisions
  /** What else it came to when it ended, or last waited. */
  readonly end?: Omit<SegmentEnd, 'state'>
  readonly error?: RecordedError
  /** It was ended from outside, and why where somebody said. */
  readonly aborted?: { readonly reason?: string }
  /** Changes hands with each worker that takes it up: who has an older number has lost it. */
  readonly attempts: number
  readonly worker: string
}

/** What a change comes to: a run to keep, or undefined for what is to stay as it is. */
export type Change = (run: RunRecord) => RunRecord | undefined

/**
 * Changes what is kept of a run, again from what is kept then when somebody else comes first. Gives what is kept after.
 * @throws what `change` throws; CapstanError `not_found`, and what the store throws
 */
export async function updateRun(store: RunStateStore, runId: string, change: Change): Promise<RunRecord> {
  for (;;) {
    const { run, version } = await loadRun(store, runId)
    const changed = change(run)
    if (!changed) return run
    try {
      await store.save(runId, changed, version)
      return changed
    } catch (error) {
      if (!isCapstanError(error) || error.code !== 'conflict') throw error
      // Of several who change it one goes on each time: this comes to an end.
      if ((await loadRun(store, runId)).version === version) throw error
    }
  }
}

async function loadRun(store: RunStateStore, runId: string): Promise<StoredRun> {
  const found = await store.load(runId)
  if (!found) throw unknownRun(runId)
  return found
}

export function unknownRun(runId: string): CapstanError {
  const message = `No run "${runId}" is kept here. Start it, or look in the store that it was started with.`
  return new CapstanError('not_found', message, { evidence: { runId } })
}
