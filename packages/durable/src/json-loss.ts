/** Where and what a value holds that JSON would lose; undefined when it loses nothing. A Date is its text, what is undefined is not there. */
export function jsonLoss(value: unknown): string | undefined {
  return find(value, { path: [], within: [] })
}

interface Walk {
  readonly path: readonly string[]
  readonly within: readonly object[]
}

function find(value: unknown, walk: Walk): string | undefined {
  if (typeof value === 'object' && value !== null) return findIn(value, walk)
  const what = lost(value)
  return what && `${walk.path.length === 0 ? 'it' : `"${walk.path.join('.')}"`} is ${what}`
}

function lost(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === 'bigint') return 'a BigInt'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  return undefined
}

function findIn(value: object, { path, within }: Walk): string | undefined {
  const place = path.length === 0 ? 'it' : `"${path.join('.')}"`
  if (within.includes(value)) return `${place} lies in itself`
  if (value instanceof Date && !Number.isNaN(value.getTime())) return undefined
  if (!Array.isArray(value) && !isPlain(value))
    return `${place} is of the kind ${value.constructor?.name || 'unknown'}`
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined && Array.isArray(value))
      return `"${[...path, key].join('.')}" is undefined, in a list`
    const found = find(one, { path: [...path, key], within: [...within, value] })
    if (found) return found
  }
  return undefined
}

/** An object of any realm, or without a prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
