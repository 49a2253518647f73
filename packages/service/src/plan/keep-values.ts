interface KeptLimits {
  /** Values, until all are dropped. */
  readonly most: number
  /** Characters of a key. The value of a longer one is not kept. */
  readonly longest: number
}

/** Keeps values by texts that repeat from request to request. The limits keep clients from filling the memory. */
export function keepValues<Value>({ most, longest }: KeptLimits): (key: string, make: () => Value) => Value {
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
