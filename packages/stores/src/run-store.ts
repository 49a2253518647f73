import { CapstanError, type Json } from '@capstan/core'

/**
 * Stores runs with their events, for several processes. Every method throws a CapstanError `invalid_request` for an
 * invalid run id or argument, and `invalid_state` for a run that is damaged or that a newer version wrote. Values are
 * returned as JSON keeps them; changing them does not change the store.
 */
export interface RunStore {
  /**
   * Whether the runs end with this process. A server then stores each event immediately, and a run's state only when it
   * ends or is pending. Default false: events are stored in batches, and the state before each step.
   */
  readonly isVolatile?: boolean
  /** Returns a run. Undefined if it does not exist. Its version changes with each `put`. */
  get(runId: string): Promise<StoredRun | undefined>
  /**
   * Replaces the entry of a run that has this version; 0 creates it. Returns the new version. Once it resolves, the
   * entry is stored durably; if it rejects, the entry is unchanged.
   * @throws CapstanError `conflict` if the stored version is different
   */
  put(runId: string, entry: RunEntry, version: number): Promise<number>
  /**
   * Appends all events or none after `afterSeq`, which is -1 for a run without events. Their `seq` continues from it.
   * @throws CapstanError `conflict` if the last event differs, or the run does not exist
   */
  append(runId: string, events: readonly StoredEvent[], afterSeq: number): Promise<void>
  /**
   * Returns at most `limit` events after `afterSeq`, in order. Old events that the store no longer has are omitted.
   * Default limit: 1,000.
   */
  read(runId: string, afterSeq: number, limit?: number): Promise<readonly StoredEvent[]>
  /** Lists runs, the most recently updated first, then by id. */
  list(query: RunQuery): Promise<RunPage>
  /**
   * Stores a value under a key, unless the key has one. Returns whether it was stored. After `expiresAt`, in
   * milliseconds since 1970, the key is free again. A key is any string of 1 to 500 characters.
   */
  setOnce(key: string, value: Json, expiresAt?: number): Promise<boolean>
  find(key: string): Promise<Json | undefined>
  /** Deletes a run with its events. A missing run is not an error. */
  delete(runId: string): Promise<void>
  /**
   * Calls `onChange` after each `put` and `append` of a run, also by other processes, and sometimes without a change.
   * Returns the function that stops it. Without `watch`, readers poll every 250 ms.
   */
  watch?(runId: string, onChange: () => void): () => void
  /** Returns the store's time, in milliseconds since 1970, for leases. Default: the process's clock. */
  now?(): Promise<number>
}

/** An entry with its version. */
export interface StoredRun {
  readonly entry: RunEntry
  /** Starts at 1. */
  readonly version: number
}

/** A run as its server stores it. Times are in milliseconds since 1970. */
export interface RunEntry {
  /** The id of the user. */
  readonly owner: string
  /** The name of its agent. */
  readonly agent: string
  readonly status: RunStatus
  /** Ids of the pending calls. */
  readonly callIds: readonly string[]
  /** The conversation in which it is shown. */
  readonly chat?: string
  /** The session that it continues. */
  readonly session?: string
  readonly createdAt: number
  readonly updatedAt: number
  /** The time when a process must handle it, even without a request. */
  readonly dueAt?: number
  /** The process that executes it. */
  readonly lease?: { readonly by: string; readonly until: number }
  /** The server's data about the run: its state, its decisions. */
  readonly record: Json
}

export type RunStatus = 'running' | 'pending' | 'ended' | 'failed'

/** An event of a run, as its server stores it. */
export interface StoredEvent {
  /** Counts the events of the run from 0. */
  readonly seq: number
  readonly [field: string]: Json
}

/** The runs to list: runs that match all given fields. */
export interface RunQuery {
  readonly owner?: string
  readonly status?: RunStatus
  /** The id of a pending call. */
  readonly callId?: string
  readonly chat?: string
  /** Only runs whose `dueAt` is before this time. */
  readonly dueBefore?: number
  /** A whole number from 1 to 1,000. */
  readonly limit: number
  /** The `after` of the previous page. */
  readonly after?: string
}

export interface RunPage {
  readonly runs: readonly (StoredRun & { readonly runId: string })[]
  /** The cursor for the next page. Absent on the last page. */
  readonly after?: string
}

/** Rejects an invalid run id. @throws CapstanError `invalid_request` */
export function checkRunId(runId: unknown): asserts runId is string {
  checkText(runId, 'run id', 200)
}

/** Rejects an invalid key of `setOnce` and `find`. @throws CapstanError `invalid_request` */
export function checkKey(key: unknown): asserts key is string {
  checkText(key, 'key', 500)
}

function checkText(given: unknown, what: string, most: number): void {
  const isText = typeof given === 'string' && given !== '' && given.length <= most
  // A lone surrogate has no UTF-8 encoding: two such texts would share one name.
  if (isText && given.isWellFormed() && !/\p{Cc}/u.test(given)) return
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 100)) : typeof given
  const message = `Invalid ${what}: ${shown}. Use 1 to ${most} characters without control characters.`
  throw new CapstanError('invalid_request', message)
}

/** Creates the error for a run that another writer has changed. */
export function entryConflict(runId: string, expected: number, found: number): CapstanError {
  const message = `Version conflict in run "${runId}": expected ${expected}, found ${found}. Nothing was stored. Get the run and try again.`
  return new CapstanError('conflict', message, { evidence: { runId, expected, found } })
}

/** Creates the error for events of a run that is not stored. */
export function missingRun(runId: string): CapstanError {
  const message = `No run "${runId}". Nothing was stored. Put its entry first.`
  return new CapstanError('conflict', message, { evidence: { runId } })
}

/** Creates the error for events that do not continue the stored ones. */
export function eventConflict(runId: string, afterSeq: number, last: number): CapstanError {
  const message = `The last event of run "${runId}" is ${last}, not ${afterSeq}. Nothing was stored.`
  return new CapstanError('conflict', message, { evidence: { runId, afterSeq, last } })
}
