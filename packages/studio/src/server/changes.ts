import { EventEmitter } from 'eventemitter3'

/** Tells the open pages that something is different. */
export class Changes extends EventEmitter<{
  /** Something about the studio: a version, an error of loading. */
  studio: []
  /** Runs were added, changed or removed. */
  runs: []
  /** Entries of a run were written. */
  entries: [run: string]
}> {}
