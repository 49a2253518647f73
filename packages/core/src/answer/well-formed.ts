/** Whether JSON text may hold half of a surrogate pair, as a character or as an escape. */
export function mayHoldLoneSurrogate(json: string): boolean {
  return !json.isWellFormed() || /\\u[dD][89a-fA-F]/.test(json)
}

/** The same JSON value with every half of a surrogate pair replaced, in keys as well. */
export function toWellFormed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, wellFormedEntries)) as T
}

function wellFormedEntries(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value)
  if (entries.every(([key]) => key.isWellFormed())) return value
  return Object.fromEntries(entries.map(([key, inner]) => [key.toWellFormed(), inner]))
}
