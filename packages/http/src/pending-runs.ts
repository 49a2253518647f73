import type { Decisions, PendingCall, RunResult, RunState } from '@capstan/core'
import { callsOf } from '@capstan/core/internal'
import { jsonLength, OwnedCache, ownedKey } from './owned-cache.js'

/** A run that waits for decisions or results from its client. */
export interface PendingRun {
  readonly agent: string
  readonly state: RunState
  /** Earlier runs in which a call was already pending, by call id. */
  readonly earlier?: ReadonlyMap<string, readonly string[]>
  /** The previous resume, if it ended early: the state that asked, and the decisions given. */
  readonly lastResume?: { readonly state: RunState; readonly decisions: Decisions }
}

/** Returns the state in which the pending calls were sent to the client. */
export function askingState({ state, lastResume }: PendingRun): RunState {
  return lastResume?.state ?? state
}

interface Entry {
  readonly owner: string
  readonly run: PendingRun
}

/** Pending runs, up to a byte limit. They are found by run id or by the id of a pending call. */
export class PendingRuns {
  /** By owner and run id: its own, and that of the run that asked, which its client knows. */
  readonly #entries = new Map<string, Entry>()
  /** By owner and call id; the newest run for each. */
  readonly #byCall = new Map<string, Entry>()
  readonly #cache: OwnedCache<Entry>

  constructor(maxBytes = 64 * 2 ** 20) {
    this.#cache = new OwnedCache(maxBytes, (entry) => this.#evict(entry))
  }

  add(owner: string, run: PendingRun): void {
    const entry = { owner, run }
    const before = this.#entries.get(keyOf(entry))
    if (before) this.#cache.delete(before)
    this.#entries.set(ownedKey(owner, askingState(run).runId), entry)
    this.#entries.set(keyOf(entry), entry)
    for (const { callId } of askingState(run).pending) this.#byCall.set(ownedKey(owner, callId), entry)
    this.#cache.add(entry, jsonLength(run))
  }

  /** Returns the owner's newest run in which this call is pending. */
  find(owner: string, callId: string): PendingRun | undefined {
    return this.#byCall.get(ownedKey(owner, callId))?.run
  }

  /** Returns the owner's run with this id. */
  get(owner: string, runId: string): PendingRun | undefined {
    return this.#entries.get(ownedKey(owner, runId))?.run
  }

  /** Returns the owner's runs as JSON. */
  jsonOf(owner: string): readonly string[] {
    const own = [...new Set(this.#entries.values())].filter((entry) => entry.owner === owner)
    return own.map(({ run }) => JSON.stringify(run))
  }

  /**
   * Removes a run that is being resumed. Returns `false` if it is already gone, so that a repeated approval
   * cannot run a call twice.
   */
  claim(owner: string, run: PendingRun): boolean {
    const entry = this.#entries.get(keyOf({ owner, run }))
    if (entry?.run !== run) return false
    this.#cache.delete(entry)
    return true
  }

  #evict(entry: Entry): void {
    const { runId, pending } = askingState(entry.run)
    for (const key of [keyOf(entry), ownedKey(entry.owner, runId)])
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    for (const { callId } of pending) {
      const key = ownedKey(entry.owner, callId)
      if (this.#byCall.get(key) === entry) this.#byCall.delete(key)
    }
  }
}

function keyOf({ owner, run }: Entry): string {
  return ownedKey(owner, run.state.runId)
}

/** Returns the pending calls of nested agents. They are in no message of the conversation. */
export function nestedCalls({ pending = [], state }: RunResult): readonly PendingCall[] {
  const own = new Set(state.messages.flatMap((message) => callsOf(message).map(({ id }) => id)))
  return pending.filter(({ callId }) => !own.has(callId))
}
