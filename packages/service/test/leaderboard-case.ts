import { type CaseCall, either, listOf, objectOf, oneOf, type PlannerCase } from './planner-case.js'

// Cases as a public leaderboard of function calls writes them.

export interface Entry {
  readonly tools: readonly object[]
  readonly cases: readonly PlannerCase[]
}

/** A call as in the possible answers of the leaderboard: each argument lists its acceptable values. `OUT` means left out. */
export type Possible = readonly [name: string, args: Record<string, readonly unknown[]>]

export const OUT = Symbol('left out')

export const choice = (description: string, ...values: string[]) => ({ ...oneOf(...values), description })
export const dict = (description: string, properties: Record<string, object>) => ({
  ...objectOf(properties),
  description,
})
export const withDefault = (schema: object, value: unknown) => ({ ...schema, default: value })
export const numbers = (description: string) => listOf({ type: 'number' }, description)
export const integers = (description: string) => listOf({ type: 'integer' }, description)
export const strings = (description: string) => listOf({ type: 'string' }, description)

/** The spellings that the leaderboard holds for equal: as given, all lower case, and with a capital letter. */
export const cased = (...values: string[]) => [
  ...new Set(
    values.flatMap((value) => [
      value,
      value.toLowerCase(),
      `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
    ]),
  ),
]

function callsOf([name, args]: Possible): CaseCall[] {
  let made: Record<string, unknown>[] = [{}]
  for (const [key, values] of Object.entries(args)) {
    made = made.flatMap((before) =>
      values.map((value) => (value === OUT ? before : { ...before, [key]: value })),
    )
  }
  return made.map((one): CaseCall => [name, one])
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, at) => {
    return ordersOf([...items.slice(0, at), ...items.slice(at + 1)]).map((rest) => [item, ...rest])
  })
}

/** A case whose calls may come in any order, each with any of its acceptable values. */
export function possible(ask: string, ...calls: Possible[]): PlannerCase {
  let made: CaseCall[][] = [[]]
  for (const call of calls) {
    const ones = callsOf(call)
    made = made.flatMap((before) => ones.map((one) => [...before, one]))
  }
  const orders = ordersOf(calls.map((_, at) => at))
  return either(ask, ...orders.flatMap((order) => made.map((one) => order.map((at) => one[at] as CaseCall))))
}
