import { CapstanError, type Decisions, isCapstanError, type RunState } from '@capstan/core'
import { findViolation, stateSchema } from '@capstan/core/internal'
import type { RecordedError } from '../recorded.js'
import type { SegmentEnd } from '../segment.js'
import type { RunSettings } from '../settings.js'
import type { ChildSteps } from './child-steps.js'

/** A store for the runs of persistent agents. */
export interface RunStateStore {
  /**
   * Returns a run with its version. Undefined if it does not exist.
   * @throws CapstanError `invalid_request` for an invalid id, `invalid_state` for a run that cannot be read
   */
  load(runId: string): Promise<StoredRun | undefined>
  /**
   * Replaces the stored run with the given version. Version 0 creates a run. Returns the new version. If the promise
   * resolves, the run is stored durably. If it rejects, the stored run is unchanged.
   * @throws CapstanError `conflict` if the stored version differs, because another writer was first
   */
  save(runId: string, run: RunRecord, version: number): Promise<number>
  /** Deletes a run. Does nothing if the run does not exist. */
  delete(runId: string): Promise<void>
  /** Returns the ids of all runs, in any order. Includes runs that cannot be read, if their ids are known. */
  list(): Promise<readonly string[]>
}

/** A run with its version in the store. */
export interface StoredRun {
  readonly run: RunRecord
  /** A new number for each save, starting at 1. */
  readonly version: number
}

/** A run in the form in which it is stored between steps. Plain JSON. */
export interface RunRecord {
  /** The name of the agent that the run was started with. */
  readonly agent: string
  /** The state before the most recently started step, or after the end. */
  readonly state: RunState
  readonly phase: 'running' | 'pending' | 'ended' | 'failed'
  /** A hash of the run's input. If a run is started again with the same id, the hash must be the same. */
  readonly digest: string
  readonly settings: RunSettings
  /** All decisions by call id, including decisions on calls that are not pending yet. */
  readonly decisions: Decisions
  /** The result without its state, from when the run ended or was last pending. */
  readonly end?: Omit<SegmentEnd, 'state'>
  /** The error with which a run failed. */
  readonly error?: RecordedError
  /** Step results from the open calls' child runs. Absent if there are none. */
  readonly childSteps?: ChildSteps
  /** Set when an abort has been requested, with its reason if one was given. */
  readonly aborted?: { readonly reason?: string }
  /** Incremented whenever a worker claims the run. A worker whose number is lower has lost its claim. */
  readonly attempts: number
  readonly worker: string
}

/** Returns a changed copy of a run, or undefined to leave the run unchanged. */
export type Change = (run: RunRecord) => RunRecord | undefined

/**
 * Changes a stored run, and returns it. If another writer was first, applies the change to the version that the other
 * writer stored.
 * @throws errors of `change` and of the store; CapstanError `not_found`
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
      // One of the writers succeeds each time, so this loop ends.
      if ((await loadRun(store, runId)).version === version) throw error
    }
  }
}

/** Loads a run and validates it. @throws CapstanError `not_found`; `invalid_state` for a damaged run */
export async function loadRun(store: RunStateStore, runId: string): Promise<StoredRun> {
  const found = await store.load(runId)
  if (!found) throw unknownRun(runId)
  const why = findRunProblem(found.run, runId)
  if (why === undefined) return found
  const message = `The stored run "${runId}" is damaged: ${why}. Restore it from a backup, or delete it.`
  throw new CapstanError('invalid_state', message, { evidence: { runId } })
}

/**
 * Returns the reason why a stored run cannot be used. Undefined if it can be used. Checks only part of the state; the
 * rest is checked when the run continues.
 */
function findRunProblem(run: RunRecord, runId: string): string | undefined {
  const found = findViolation(run, recordSchema)
  if (found) return `${found.path.join('/')} ${found.message}`.trim().slice(0, 120)
  if (run.state.runId !== runId) return 'its state is from a different run'
  const isOver = run.phase === 'pending' || run.phase === 'ended'
  return isOver && !run.end ? 'it has no result' : undefined
}

const text = { type: 'string' }
const object = { type: 'object' }
const objects = { type: 'array', items: object }
const flag = { type: 'boolean' }
const messages = { type: 'array' }
const { stepCount, usage, pending, stopReason } = stateSchema.properties

const recordSchema = {
  type: 'object',
  required: ['agent', 'state', 'phase', 'digest', 'settings', 'decisions', 'attempts', 'worker'],
  properties: {
    agent: text,
    state: {
      type: 'object',
      required: ['runId', 'stepCount', 'usage', 'pending', 'messages'],
      properties: { stepCount, usage, pending, messages, stopReason, decisions: object },
    },
    phase: { enum: ['running', 'pending', 'ended', 'failed'] },
    digest: text,
    settings: { type: 'object', properties: { unattended: flag, allowChangedTools: flag } },
    decisions: { type: 'object', additionalProperties: object },
    end: {
      type: 'object',
      required: ['toolCalls', 'steps', 'rest'],
      properties: { toolCalls: objects, rest: object, steps: objects, messages },
    },
    childSteps: object,
    error: { type: 'object', required: ['message'], properties: { code: text, message: text } },
    aborted: { type: 'object', properties: { reason: text } },
    attempts: { type: 'integer', minimum: 0 },
    worker: text,
  },
}

/** Returns the error for a save that failed because another writer was first. */
export function runConflict(runId: string): CapstanError {
  const message = `Version conflict in run "${runId}": another writer changed it. Nothing was stored. Reload it and try again.`
  return new CapstanError('conflict', message, { evidence: { runId }, retryable: true })
}

/** Returns the error for a run that is not in the store. */
export function unknownRun(runId: string): CapstanError {
  const message = `Unknown run "${runId}". Start it, or use the store that it was started with.`
  return new CapstanError('not_found', message, { evidence: { runId } })
}
