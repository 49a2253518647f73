/** What servers send, before anything is believed of it. */
export type Loose = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a field says anything: `null`, `undefined` and `''` do not. */
export function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}

/** Whether there is anything in a value: not `false`, `0`, `{}` or a list or record of nothing either. */
export function isTelling(value: unknown, depth = 0): boolean {
  if (typeof value === 'object' && value !== null)
    return depth > 5 || Object.values(value).some((one) => isTelling(one, depth + 1))
  return isFilled(value) && value !== false && value !== 0
}

/** A field as text: numbers written out, anything that is no word `''`. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
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

/** Sets an own field: plain assignment would let a key named `__proto__` change what the record is. */
export function setOwn(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true })
}
