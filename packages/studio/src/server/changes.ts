import { EventEmitter } from 'eventemitter3'

/** Tells open pages what has changed. */
export class Changes extends EventEmitter<{
  /** A version of the file has been loaded, or could not be loaded. */
  studio: []
  /** Runs have been added, changed or removed. */
  runs: []
  /** Some of a run's entries have been written. */
  entries: [run: string]
}> {}
