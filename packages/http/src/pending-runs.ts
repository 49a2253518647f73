import type { AnyRunResult, Decisions, PendingCall, RunState } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import { jsonLength, ownedKey, Room } from './owned-cache.js'

/** A run that waits for decisions or results of its caller. */
export interface ParkedRun {
  readonly agent: string
  readonly state: RunState
  /** Runs before it in which a call waited already, by call. */
  readonly earlier?: ReadonlyMap<string, readonly string[]>
  /** What it had asked and was told, where it came to no end behind that. */
  readonly told?: { readonly asked: RunState; readonly decisions: Decisions }
}

/** The state in which its calls were handed to the caller. */
export function askedBy({ state, told }: ParkedRun): RunState {
  return told?.asked ?? state
}

interface Place {
  readonly owner: string
  readonly run: ParkedRun
}

/** Runs that wait, as long as there is room: found again by themselves, or by a call that waits in them. */
export class ParkedRuns {
  /** By owner and run. */
  readonly #places = new Map<string, Place>()
  /** Of calls that have one id, the newest. */
  readonly #ofCalls = new Map<string, Place>()
  readonly #room: Room<Place>

  constructor(mostBytes = 64 * 2 ** 20) {
    this.#room = new Room(mostBytes, (place) => this.#forget(place))
  }

  park(owner: string, run: ParkedRun): void {
    const place = { owner, run }
    const before = this.#places.get(keyOf(place))
    if (before) this.#room.drop(before)
    this.#places.set(keyOf(place), place)
    for (const { callId } of askedBy(run).pending) this.#ofCalls.set(ownedKey(owner, callId), place)
    this.#room.keep(place, jsonLength(run))
  }

  /** The run in which a call waits, if it is this owner's; of several the newest. */
  find(owner: string, callId: string): ParkedRun | undefined {
    return this.#ofCalls.get(ownedKey(owner, callId))?.run
  }

  /** The run of this id, if it is this owner's. */
  get(owner: string, runId: string): ParkedRun | undefined {
    return this.#places.get(ownedKey(owner, runId))?.run
  }

  /** An owner's runs, as JSON. */
  textsOf(owner: string): readonly string[] {
    const own = [...this.#places.values()].filter((place) => place.owner === owner)
    return own.map(({ run }) => JSON.stringify(run))
  }

  /** Forgets a run that is gone on with, and says whether it was there: twice the same yes must not run a call twice. */
  take(owner: string, run: ParkedRun): boolean {
    const place = this.#places.get(keyOf({ owner, run }))
    if (place?.run !== run) return false
    this.#room.drop(place)
    return true
  }

  #forget(place: Place): void {
    this.#places.delete(keyOf(place))
    for (const { callId } of askedBy(place.run).pending) {
      const key = ownedKey(place.owner, callId)
      if (this.#ofCalls.get(key) === place) this.#ofCalls.delete(key)
    }
  }
}

function keyOf({ owner, run }: Place): string {
  return ownedKey(owner, run.state.runId)
}

/** Of the calls that a run waits for, those of agents within the agent: they stand in no message of the conversation. */
export function innerCalls({ pending = [], state }: AnyRunResult): readonly PendingCall[] {
  const own = new Set(state.messages.flatMap((message) => callsOf(message).map(({ id }) => id)))
  return pending.filter(({ callId }) => !own.has(callId))
}
