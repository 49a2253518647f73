/**
 * Keeps values by texts that repeat from request to request. The limits keep clients from filling the memory: at most `most`
 * values, until all are dropped, and none whose text is longer than `longest`.
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
