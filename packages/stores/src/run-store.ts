import { CapstanError, type Json } from '@capstan/core'

/**
 * Stores runs and their events. Several processes may share it. Every method throws a CapstanError: `invalid_request`
 * for an invalid run id or argument, and `invalid_state` for a run that is damaged or was written by a newer version.
 * Values are returned as they are after conversion to JSON and back. Changing a returned value does not change the
 * store.
 */
export interface RunStore {
  /**
   * Whether the runs are lost when this process ends. If true, a server stores each event immediately, and a run's
   * state only when the run is pending or has ended. If false, it stores events in batches, and the state before each
   * step. Default false.
   */
  readonly isVolatile?: boolean
  /** Returns a run's entry with its version, which changes with each `put`. Undefined if the run does not exist. */
  get(runId: string): Promise<StoredRun | undefined>
  /**
   * Replaces the run's entry that has the given version. Version 0 creates the run. Returns the new version. If the
   * promise resolves, the entry is stored durably. If it rejects, the stored entry is unchanged.
   * @throws CapstanError `conflict` if the stored version differs
   */
  put(runId: string, entry: RunEntry, version: number): Promise<number>
  /**
   * Appends all of the events, or none, after the event `afterSeq` (-1 for a run without events). The `seq` of the
   * first event must be `afterSeq + 1`.
   * @throws CapstanError `conflict` if the last stored event is not `afterSeq`, or the run does not exist
   */
  append(runId: string, events: readonly StoredEvent[], afterSeq: number): Promise<void>
  /**
   * Returns at most `limit` events after `afterSeq`, in order. Old events may be missing, if the store has removed
   * them. Default limit: 1,000.
   */
  read(runId: string, afterSeq: number, limit?: number): Promise<readonly StoredEvent[]>
  /** Lists runs, the most recently updated first. Runs that were updated at the same time are sorted by id. */
  list(query: RunQuery): Promise<RunPage>
  /**
   * Stores a value under a key, unless the key already has a value. Returns whether the value was stored. When
   * `expiresAt` (milliseconds since 1970) is reached, the key can be set again. A key is a string of 1 to 500
   * characters.
   */
  setOnce(key: string, value: Json, expiresAt?: number): Promise<boolean>
  find(key: string): Promise<Json | undefined>
  /** Deletes a run and its events. Does nothing if the run does not exist. */
  delete(runId: string): Promise<void>
  /**
   * Calls `onChange` after each `put` and `append` for a run, including those by other processes. `onChange` may also
   * be called without a change. Returns a function that removes the watcher. If a store has no `watch`, readers poll
   * every 250 ms.
   */
  watch?(runId: string, onChange: () => void): () => void
  /**
   * Returns the store's current time in milliseconds since 1970, which determines when leases expire. Default: the
   * process's clock.
   */
  now?(): Promise<number>
}

/** A run's entry with its version in the store. */
export interface StoredRun {
  readonly entry: RunEntry
  /** A new number for each `put`, starting at 1. */
  readonly version: number
}

/** A run in the form in which a server stores it. All times are in milliseconds since 1970. */
export interface RunEntry {
  /** The id of the user who owns the run. */
  readonly owner: string
  /** The name of the agent that executes the run. */
  readonly agent: string
  readonly status: RunStatus
  /** The ids of the calls that are pending. */
  readonly callIds: readonly string[]
  /** The id of the chat that shows the run. */
  readonly chat?: string
  /** The id of the session that the run continues. */
  readonly session?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** When a process must handle the run, even if no request arrives by then. */
  readonly dueAt?: number
  /** The process that is executing the run, and the time until which it has claimed the run. */
  readonly lease?: { readonly by: string; readonly until: number }
  /** The server's own data about the run, such as its state and decisions. */
  readonly record: Json
}

export type RunStatus = 'running' | 'pending' | 'ended' | 'failed'

/** An event of a run, in the form in which a server stores it. */
export interface StoredEvent {
  /** The event's number in its run, starting at 0. */
  readonly seq: number
  readonly [field: string]: Json
}

/** Which runs to list. A run must match all of the given fields. */
export interface RunQuery {
  readonly owner?: string
  readonly status?: RunStatus
  /** The id of a call. Lists only runs in which this call is pending. */
  readonly callId?: string
  readonly chat?: string
  /** Lists only runs whose `dueAt` is before this time. */
  readonly dueBefore?: number
  /** Maximum number of runs on the page, from 1 to 1,000. */
  readonly limit: number
  /** The `after` of the previous page. Default: the first page. */
  readonly after?: string
}

export interface RunPage {
  readonly runs: readonly (StoredRun & { readonly runId: string })[]
  /** Pass this as `after` to get the next page. Absent on the last page. */
  readonly after?: string
}

/**
 * Checks that a value is a valid run id: a string of 1 to 200 characters without control characters.
 * @throws CapstanError `invalid_request`
 */
export function checkRunId(runId: unknown): asserts runId is string {
  checkText(runId, 'run id', 200)
}

/**
 * Checks that a value is a valid key for `setOnce` and `find`: a string of 1 to 500 characters without control
 * characters.
 * @throws CapstanError `invalid_request`
 */
export function checkKey(key: unknown): asserts key is string {
  checkText(key, 'key', 500)
}

function checkText(given: unknown, what: string, most: number): void {
  const isText = typeof given === 'string' && given !== '' && given.length <= most
  // A lone surrogate cannot be encoded as UTF-8, so two strings with different lone surrogates would get the same name.
  if (isText && given.isWellFormed() && !/\p{Cc}/u.test(given)) return
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 100)) : typeof given
  const message = `Invalid ${what}: ${shown}. Use 1 to ${most} characters without control characters.`
  throw new CapstanError('invalid_request', message)
}

/** Returns the error for a `put` whose version differs from the stored one. */
export function entryConflict(runId: string, expected: number, found: number): CapstanError {
  const message = `Version conflict in run "${runId}": expected ${expected}, found ${found}. Nothing was stored. Get the run again and retry.`
  return new CapstanError('conflict', message, { evidence: { runId, expected, found } })
}

/** Returns the error for events whose run is not stored. */
export function missingRun(runId: string): CapstanError {
  const message = `Run "${runId}" does not exist. Nothing was stored. Create it with put(runId, entry, 0) first.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** Returns the error for events that do not continue from the last stored event. */
export function eventConflict(runId: string, afterSeq: number, last: number): CapstanError {
  const message = `The last event of run "${runId}" is ${last}, not ${afterSeq}. Nothing was stored. Read the new events and retry.`
  return new CapstanError('conflict', message, { evidence: { runId, afterSeq, last } })
}
