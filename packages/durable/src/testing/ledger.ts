/** What was done under one idempotency key, as a service outside keeps it. */
export interface Entry {
  readonly kind: 'model' | 'tool'
  /** How often it was begun. */
  attempts: number
  /** How often it took effect: the service drops what it has done already under this key. */
  effects: number
  /** What it was asked for, over all attempts. */
  readonly asked: Set<string>
}

/** The book of the world outside the runs: workers die, it does not. */
export class Ledger {
  readonly #runs = new Map<string, Map<string, Entry>>()

  /** Something begins. */
  begin(kind: Entry['kind'], idempotencyKey: string, asked: unknown): void {
    const entry = this.#entry(kind, idempotencyKey)
    entry.attempts++
    entry.asked.add(sortedJson(asked))
  }

  /** It takes effect, the first time. */
  take(idempotencyKey: string): void {
    const entry = this.#entry('tool', idempotencyKey)
    entry.effects = 1
  }

  /** What was done for one run and those within it, by key within that run. */
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

/** JSON with fields in the order of their names: stores may keep them in any. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}
