/** Whether two values are one in JSON, their fields in the same order. */
export function sameValue(one: unknown, other: unknown): boolean {
  try {
    return JSON.stringify(one) === JSON.stringify(other)
  } catch {
    return false
  }
}

/** Whether two texts are one, or one JSON value with other white space. */
export function sameJson(one: string, other: string): boolean {
  if (one === other) return true
  try {
    return sameValue(JSON.parse(one), JSON.parse(other))
  } catch {
    return false
  }
}
