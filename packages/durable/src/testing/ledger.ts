import { canonicalJson } from '@capstan/core/internal'

/** The attempts and effects under one idempotency key, as an external service would record them. */
export interface Entry {
  readonly kind: 'model' | 'tool'
  attempts: number
  /**
   * 1 after the effect has happened, otherwise 0. Like an external service, the ledger ignores later requests with the
   * same key.
   */
  effects: number
  /** The inputs of the attempts, as JSON. If there is more than one, the attempts differed, which is an error. */
  readonly asked: Set<string>
}

/** Records attempts and effects outside the runs, so that the record survives the workers. */
export class Ledger {
  readonly #runs = new Map<string, Map<string, Entry>>()

  /** Records the start of an attempt. Returns the attempt's number, starting at 1. */
  begin(kind: Entry['kind'], idempotencyKey: string, asked: unknown): number {
    const entry = this.#entry(kind, idempotencyKey)
    entry.attempts++
    entry.asked.add(canonicalJson(asked))
    return entry.attempts
  }

  /** Records that the effect has happened. Further calls with the same key have no effect. */
  take(idempotencyKey: string): void {
    const entry = this.#entry('tool', idempotencyKey)
    entry.effects = 1
  }

  /** Returns the entries of a run and its child runs, by key. The keys do not include the run's id. */
  of(runId: string): ReadonlyMap<string, Entry> {
    return this.#runs.get(runId) ?? new Map()
  }

  #entry(kind: Entry['kind'], idempotencyKey: string): Entry {
    const slash = idempotencyKey.indexOf('/')
    const [runId, key] = [idempotencyKey.slice(0, slash), idempotencyKey.slice(slash + 1)]
    const run = this.#runs.get(runId) ?? new Map<string, Entry>()
    this.#runs.set(runId, run)
    const entry = run.get(key) ?? { kind, attempts: 0, effects: 0, asked: new Set<string>() }
    run.set(key, entry)
    return entry
  }
}
