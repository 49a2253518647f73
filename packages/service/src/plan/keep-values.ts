/**
 * Caches values by strings that repeat from request to request. The limits keep clients from filling the memory: after
 * `most` values, all are dropped, and strings longer than `longest` are not cached.
 */
export function keepValues<Value>(most: number, longest: number): (key: string, make: () => Value) => Value {
  const kept = new Map<string, Value>()
  return (key, make) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const value = make()
    if (kept.size >= most) kept.clear()
    if (key.length <= longest) kept.set(key, value)
    return value
  }
}
