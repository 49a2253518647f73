export { isGiven, isRecord } from '@capstan/protocols/input'

/** Whether a JSON value is nested deeper than the given number of levels. Does not use recursion. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return false
}

/** The maximum number of nested levels. Deeper values would overflow the stack of recursive functions. */
export const mostLevels = 100
