import { canonicalJson } from '@capstan/core/internal'

/** The effects under one idempotency key, as an external service records them. */
export interface Entry {
  readonly kind: 'model' | 'tool'
  attempts: number
  /** The number of effects. The service ignores a repeated key. */
  effects: number
  /** The distinct inputs of all attempts. */
  readonly asked: Set<string>
}

/** Records effects outside the runs. It survives the workers. */
export class Ledger {
  readonly #runs = new Map<string, Map<string, Entry>>()

  /** Records the start of an attempt. Returns its number, from 1. */
  begin(kind: Entry['kind'], idempotencyKey: string, asked: unknown): number {
    const entry = this.#entry(kind, idempotencyKey)
    entry.attempts++
    entry.asked.add(canonicalJson(asked))
    return entry.attempts
  }

  /** Records the effect, once. */
  take(idempotencyKey: string): void {
    const entry = this.#entry('tool', idempotencyKey)
    entry.effects = 1
  }

  /** Returns the entries of one run and its child runs, by key within that run. */
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
