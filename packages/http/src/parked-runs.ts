import type { RunState } from '@capstan/core'

/** A run that waits for decisions or results of its caller. */
export interface ParkedRun {
  readonly agent: string
  readonly state: RunState
}

/** Runs that wait, found again by the calls that wait in them. The oldest give way when there are too many. */
export class ParkedRuns {
  readonly #runs = new Map<string, ParkedRun>()
  readonly #most: number

  constructor(most = 1000) {
    this.#most = most
  }

  /** Keeps a run under each of these calls. */
  park(owner: string, callIds: readonly string[], run: ParkedRun): void {
    for (const id of callIds) {
      const key = keyOf(owner, id)
      this.#runs.delete(key)
      this.#runs.set(key, run)
    }
    for (const key of this.#runs.keys()) {
      if (this.#runs.size <= this.#most) break
      this.#runs.delete(key)
    }
  }

  /** The run in which a call waits, if it is this owner's. It stays until another one waits under these calls. */
  find(owner: string, callId: string): ParkedRun | undefined {
    return this.#runs.get(keyOf(owner, callId))
  }

  /** Forgets a run that was gone on with: twice the same decision would run a call twice. */
  take(run: ParkedRun): void {
    for (const [key, one] of this.#runs) if (one === run) this.#runs.delete(key)
  }
}

/** JSON, so that no two pairs make one key. */
function keyOf(owner: string, callId: string): string {
  return JSON.stringify([owner, callId])
}
