/** Whether no text in a JSON value holds half of a surrogate pair; texts may hold JSON, whose texts count too. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && isWellFormedInside(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner))
}

function isWellFormedInside(text: string): boolean {
  try {
    const inner: unknown = JSON.parse(text)
    return typeof inner === 'string' ? inner.isWellFormed() : isWellFormed(inner)
  } catch {
    return true
  }
}
