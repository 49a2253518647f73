import { isRecord } from '../words/record.js'

/** What servers send, before anything is believed of it. */
export type Loose = Readonly<Record<string, unknown>>

/** Whether a field says anything: `null`, `undefined` and `''` do not. */
export function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

/** Whether a field says nothing: `null`, `''`, `[]`, `{}`. Some languages write one for the other. */
export function isNothing(value: unknown): boolean {
  return !isFilled(value) || (typeof value === 'object' && Object.keys(value as object).length === 0)
}

/** Whether there is anything in a value: not `false`, `0`, `{}` or a list or record of nothing either. */
export function isTelling(value: unknown, depth = 0): boolean {
  if (typeof value === 'object' && value !== null)
    return depth > 5 || Object.values(value).some((one) => isTelling(one, depth + 1))
  return isFilled(value) && value !== false && value !== 0
}

/** Whether a JSON value has at most this many levels of lists and records. */
export function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const one of Object.values(value)) if (!isShallow(one, levels - 1)) return false
  return true
}

/** A field as text: numbers written out, anything that is no word `''`. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A word for a code in one spelling: `RateLimit`, `rate-limit` and `RATE_LIMIT` are `rate_limit`. */
export function toSnakeCase(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

/** The entries of what should be a list: also of an object by index, or one entry alone. */
export function toEntries(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (isNothing(value)) return []
  if (!isRecord(value) || !Object.keys(value).every((key) => /^\d+$/.test(key))) return [value]
  return Object.entries(value).map(([key, entry]) =>
    isRecord(entry) ? { index: Number(key), ...entry } : entry,
  )
}

/** How a value begins when it is written as JSON. */
export function toExcerpt(value: unknown): string {
  try {
    return JSON.stringify(value).slice(0, 200)
  } catch {
    return 'something nested too deep to be quoted'
  }
}

/** A record's own field: never one that it inherits, such as `constructor`. */
export function getOwn(record: Loose, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
