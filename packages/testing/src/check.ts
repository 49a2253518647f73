import { type CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'
import { canonicalJson } from '@capstan/core/internal'

/** A requirement that an implementation must meet. */
export interface Check {
  /** The requirement as a sentence, to use as a test name. */
  readonly name: string
  /** Rejects if the requirement is not met. The error contains the actual value. */
  run(): Promise<void>
}

/** Checks by name. Each check gets an empty store, and rejects if the requirement is not met. */
export type StoreChecks<Store> = Readonly<Record<string, (store: Store) => Promise<void>>>

/** Returns the checks as an array. Each check creates a separate store with `makeStore`. */
export function toChecks<Store>(
  checks: StoreChecks<Store>,
  makeStore: () => Store | Promise<Store>,
): readonly Check[] {
  return Object.entries(checks).map(([name, holds]) => ({
    name,
    run: async () => holds(await makeStore()),
  }))
}

/** Ids that can break a naive store: special names for files, keys and fields, and pairs that are nearly equal. */
export const unusualIds: readonly string[] = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '.',
  '..',
  '../escape',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'a:b',
  'a::b',
  'a b',
  ' a b',
  'a%2Fb',
  'a?b=c',
  'a.jsonl',
  'a',
  'A',
  'CON',
  '*',
  '$',
  '-',
  "'; drop table sessions; --",
  '\u00e9',
  'e\u0301',
  '世界',
  '👩‍👩‍👧',
  '\u2028',
  'x'.repeat(200),
  `${'x'.repeat(199)}y`,
  '世'.repeat(200),
]

/** Ids that stores must reject. The last one ends with a lone surrogate. */
export const invalidIds: readonly string[] = [
  '',
  'x'.repeat(201),
  'a\0b',
  'a\nb',
  '\u007f',
  '\u0085',
  'a\ud83d',
]

/** Throws if two values differ as JSON. Ignores the order of keys. */
export function expectSame(seen: unknown, wanted: unknown, what: string): void {
  const [is, should] = [toText(seen), toText(wanted)]
  if (is !== should) throw new Error(`${what} should be ${excerpt(should)} but is ${excerpt(is)}`)
}

/** Throws unless a promise rejects with a CapstanError that has this code. Returns that error. */
export async function expectRejection(
  work: Promise<unknown>,
  code: ErrorCode,
  what: string,
): Promise<CapstanError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome))
    throw new Error(`${what} should fail with "${code}" but returned ${excerpt(toText(outcome.value))}`)
  const { error } = outcome
  if (isCapstanError(error) && error.code === code) return error
  throw new Error(`${what} should fail with a CapstanError "${code}" but threw ${error}`, {
    cause: error,
  })
}

/** Waits until the system clock has advanced to the next millisecond. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now()
  while (Date.now() === now) await new Promise((resolve) => setTimeout(resolve, 1))
}

function toText(value: unknown): string {
  return String(canonicalJson(value))
}

function excerpt(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 300)}... (${text.length} characters)`
}
