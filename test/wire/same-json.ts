/** Whether two values are the same JSON: own properties count, in any order; absent and null are equal. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(toCanonical(one)) === JSON.stringify(toCanonical(other))
}

/** A copy of own properties without a prototype, so that `__proto__` is a key like any other. */
export function toOwn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toOwn)
  if (typeof value !== 'object' || value === null) return value
  const copy: object = Object.create(null)
  for (const key of Object.getOwnPropertyNames(value)) {
    const { value: inner } = Object.getOwnPropertyDescriptor(value, key) ?? {}
    Object.defineProperty(copy, key, { value: toOwn(inner), enumerable: true })
  }
  return copy
}

function toCanonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCanonical)
  if (typeof value !== 'object' || value === null) return value ?? null
  const entries = Object.getOwnPropertyNames(value)
    .map((key) => [key, toCanonical(Object.getOwnPropertyDescriptor(value, key)?.value)] as const)
    .filter(([, inner]) => inner !== null)
  // A prefix keeps `__proto__` from being anything but a key.
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, v]) => [`.${key}`, v]))
}
