import type { Json } from '@capstan/core'
import type { StoreChecks } from '../check.js'

/**
 * The methods of a `RunStore` from `@capstan/stores`. They are declared here because this package does not depend on
 * it.
 */
export interface CheckedRunStore {
  get(runId: string): Promise<{ readonly entry: CheckedEntry; readonly version: number } | undefined>
  put(runId: string, entry: CheckedEntry, version: number): Promise<number>
  append(runId: string, events: readonly CheckedEvent[], afterSeq: number): Promise<void>
  read(runId: string, afterSeq: number, limit?: number): Promise<readonly CheckedEvent[]>
  list(query: CheckedQuery): Promise<CheckedPage>
  setOnce(key: string, value: Json, expiresAt?: number): Promise<boolean>
  find(key: string): Promise<Json | undefined>
  delete(runId: string): Promise<void>
  watch?(runId: string, onChange: () => void): () => void
  now?(): Promise<number>
}

export interface CheckedEntry {
  readonly owner: string
  readonly agent: string
  readonly status: 'running' | 'pending' | 'ended' | 'failed'
  readonly callIds: readonly string[]
  readonly chat?: string
  readonly session?: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly dueAt?: number
  readonly lease?: { readonly by: string; readonly until: number }
  readonly record: Json
}

export interface CheckedEvent {
  readonly seq: number
  readonly [field: string]: Json
}

export interface CheckedQuery {
  readonly owner?: string
  readonly status?: CheckedEntry['status']
  readonly callId?: string
  readonly chat?: string
  readonly dueBefore?: number
  readonly limit: number
  readonly after?: string
}

export interface CheckedPage {
  readonly runs: readonly {
    readonly runId: string
    readonly entry: CheckedEntry
    readonly version: number
  }[]
  readonly after?: string
}

export type RunStoreChecks = StoreChecks<CheckedRunStore>

/** A fixed time in the past, in milliseconds since 1970. */
export const someTime = 1_750_000_000_000

/** Returns a test entry: defaults, overridden by `fields`. */
export function entryOf(fields: Partial<CheckedEntry> = {}): CheckedEntry {
  const times = { createdAt: someTime, updatedAt: someTime }
  return { owner: 'ada', agent: 'helper', status: 'running', callIds: [], ...times, record: null, ...fields }
}

/** Returns numbered test events. The first event follows `afterSeq`. */
export function eventsOf(count: number, afterSeq = -1, about = 'event'): CheckedEvent[] {
  return Array.from({ length: count }, (_, at) => ({ seq: afterSeq + 1 + at, event: { type: about, at } }))
}

/**
 * Values that some databases and serializers change. Stores must return exactly the same JSON, with keys in the same
 * order.
 */
export const unusualValues: readonly Json[] = [
  null,
  false,
  0,
  '',
  [],
  {},
  '\0 and \u0001\u001f\u007f\u0085\u2028\ufeff\uffff',
  '\ud83d',
  '\ude00 \ud83d',
  'Grüße, 世界 👩‍👩‍👧 e\u0301 \u00e9',
  "'; drop table runs; -- $1 ? :a \\ \\u0000 %s",
  JSON.parse('{ "__proto__": { "a": 1 }, "constructor": "b", "toString": null, "": 0 }'),
  { 'key\0with NUL': 1, '\ud83d': 2, b: 1, a: 2, '10': 3, '9': 4 },
  [1.5e-7, 1e21, -1, 0.1, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Number.MIN_VALUE],
  [[[[[[[[[[[[[[[[[[[['deep']]]]]]]]]]]]]]]]]]]],
  '2026-01-01T00:00:00.000Z',
  '{"json":"in a string"}',
]

/** Throws if two values have different JSON text. The order of keys matters. */
export function expectSameText(seen: unknown, wanted: unknown, what: string): void {
  const [is, should] = [String(JSON.stringify(seen)), String(JSON.stringify(wanted))]
  if (is !== should) throw new Error(`${what} should be ${should.slice(0, 300)} but is ${is.slice(0, 300)}`)
}

/**
 * Waits for work that was started concurrently. Exactly one promise may resolve, and the others must reject with
 * `conflict`. Returns the index of the one that resolved.
 */
export async function raceOf(work: readonly Promise<unknown>[], what: string): Promise<number> {
  const outcomes = await Promise.allSettled(work)
  const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))
  const failures = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const others = failures.filter((reason) => Object(reason).code !== 'conflict')
  if (others.length > 0)
    throw new Error(`Every other ${what} should fail with "conflict", but one threw ${others[0]}`)
  if (winners.length === 1) return winners[0] ?? 0
  throw new Error(
    `Exactly one of ${work.length} concurrent calls (${what}) should succeed, but ${winners.length} did`,
  )
}
