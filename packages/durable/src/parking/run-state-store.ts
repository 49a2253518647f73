import type { KeptRun } from './kept-run.js'

/** Where runs are kept that wait, or are worked on. */
export interface RunStateStore {
  /** The run of this id, or undefined. @throws CapstanError `invalid_request` for no id, `invalid_state` for one that cannot be read */
  load(runId: string): Promise<StoredRun | undefined>
  /**
   * Keeps a run in place of the one that has this version; 0 where there is none yet. Gives its own version. When it
   * returns the run is kept for good; when it throws, the one before is.
   * @throws CapstanError `conflict` when another version is kept: somebody else came first
   */
  save(runId: string, run: KeptRun, version: number): Promise<number>
  /** Forgets a run; one that is not there is forgotten already. */
  delete(runId: string): Promise<void>
  /** The ids of all runs, in no order. */
  list(): Promise<readonly string[]>
}

export interface StoredRun {
  readonly run: KeptRun
  /** Changes with each save, from 1 up. */
  readonly version: number
}
