/** Whether a value from a request is an object whose fields can be read. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a JSON value holds values within values to more than so many levels. It is walked without recursion. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}

/** More than anyone nests; deeper values would end the walks of those who read them. */
export const mostLevels = 100
