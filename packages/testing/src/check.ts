import { type CapstanError, type ErrorCode, isCapstanError } from '@capstan/core'

/** One thing that must hold of an implementation. */
export interface Check {
  /** What must hold, as a sentence: the name of a test. */
  readonly name: string
  /** Rejects with what was seen when it does not hold. */
  run(): Promise<void>
}

/** Fails unless two values are the same JSON; the order of keys does not count. */
export function same(seen: unknown, wanted: unknown, what: string): void {
  const [is, should] = [toText(seen), toText(wanted)]
  if (is !== should) throw new Error(`${what} should be ${excerpt(should)} and is ${excerpt(is)}`)
}

/** Fails unless a promise rejects with a CapstanError of this code; gives the error. */
export async function rejects(work: Promise<unknown>, code: ErrorCode, what: string): Promise<CapstanError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome))
    throw new Error(`${what} should be refused as "${code}" and gave ${excerpt(toText(outcome.value))}`)
  const { error } = outcome
  if (isCapstanError(error) && error.code === code) return error
  throw new Error(`${what} should be refused as "${code}", by a CapstanError, and threw ${error}`, {
    cause: error,
  })
}

function toText(value: unknown): string {
  return String(JSON.stringify(value, sortedKeys))
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function excerpt(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 300)}... (${text.length} characters)`
}
