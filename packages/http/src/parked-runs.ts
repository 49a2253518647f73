import type { RunState } from '@capstan/core'
import { ownedKey } from './owned-key.js'

/** A run that waits for decisions or results of its caller. */
export interface ParkedRun {
  readonly agent: string
  readonly state: RunState
}

interface Place {
  readonly owner: string
  readonly run: ParkedRun
  readonly callIds: readonly string[]
  readonly bytes: number
}

/**
 * Runs that wait, found again by themselves or by a call that waits in them. The oldest give way to newer ones: each
 * owner's to that owner's, so that nobody drives out what is another's before there is no room at all.
 */
export class ParkedRuns {
  /** By owner and run, the oldest first. */
  readonly #places = new Map<string, Place>()
  /** Of calls that have one id, the newest. */
  readonly #ofCalls = new Map<string, string>()
  readonly #mostBytes: number

  constructor(mostBytes = 64 * 2 ** 20) {
    this.#mostBytes = mostBytes
  }

  /** Keeps a run, to be found by its id and by these calls. */
  park(owner: string, callIds: readonly string[], run: ParkedRun): void {
    this.#forget(ownedKey(owner, run.state.runId))
    const place = { owner, run, callIds, bytes: JSON.stringify(run.state).length }
    this.#places.set(ownedKey(owner, run.state.runId), place)
    for (const id of callIds) this.#ofCalls.set(ownedKey(owner, id), ownedKey(owner, run.state.runId))
    this.#makeRoom((one) => one.owner === owner, this.#mostBytes / 8)
    this.#makeRoom(() => true, this.#mostBytes)
  }

  /** The run in which a call waits, if it is this owner's; of several the newest. */
  find(owner: string, callId: string): ParkedRun | undefined {
    return this.#places.get(this.#ofCalls.get(ownedKey(owner, callId)) ?? '')?.run
  }

  /** The run of this id, if it is this owner's. */
  get(owner: string, runId: string): ParkedRun | undefined {
    return this.#places.get(ownedKey(owner, runId))?.run
  }

  /** Forgets a run that is gone on with, and says whether it was there: twice the same yes must not run a call twice. */
  take(run: ParkedRun): boolean {
    for (const [key, place] of this.#places)
      if (place.run === run) {
        this.#forget(key)
        return true
      }
    return false
  }

  /** The newest stays, however large it is. */
  #makeRoom(counts: (place: Place) => boolean, most: number): void {
    const counted = [...this.#places].filter(([, place]) => counts(place))
    let bytes = counted.reduce((sum, [, place]) => sum + place.bytes, 0)
    for (const [key, place] of counted.slice(0, -1)) {
      if (bytes <= most) return
      bytes -= place.bytes
      this.#forget(key)
    }
  }

  #forget(key: string): void {
    const place = this.#places.get(key)
    if (!place) return
    this.#places.delete(key)
    for (const id of place.callIds) {
      const ofCall = ownedKey(place.owner, id)
      if (this.#ofCalls.get(ofCall) === key) this.#ofCalls.delete(ofCall)
    }
  }
}
