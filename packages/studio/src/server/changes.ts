import { EventEmitter } from 'eventemitter3'

/** Notifies open pages of changes. */
export class Changes extends EventEmitter<{
  /** The studio changed: a version, or an error while loading. */
  studio: []
  /** Runs were added, changed or removed. */
  runs: []
  /** Entries of a run were written. */
  entries: [run: string]
}> {}
