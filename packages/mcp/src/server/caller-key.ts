/** A text that tells callers apart; undefined for an object that cannot be told from others. */
export function callerKey(caller: unknown): string | undefined {
  if (typeof caller !== 'object' || caller === null) return JSON.stringify(caller ?? null)
  const { id } = caller as { readonly id?: unknown }
  if (typeof id === 'string' || typeof id === 'number') return JSON.stringify([id])
  return Object.getPrototypeOf(caller) === Object.prototype ? JSON.stringify(caller) : undefined
}
