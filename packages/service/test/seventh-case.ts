import { type CaseCall, either, type PlannerCase } from './planner-case.js'

// The forms of the seventh set, and what its expected calls share.

/** Requests of one set of tools. */
export interface SeventhPart {
  readonly tools: readonly object[]
  readonly cases: readonly PlannerCase[]
  /** The time at which they are made. */
  readonly now?: Date
}

/** Monday, 16 November 2026. */
export const seventhNow = new Date(2026, 10, 16, 10, 0)

export const code = (description: string, pattern: string) => ({ type: 'string', pattern, description })
export const clock = (description: string) => {
  return code(`${description}, HH:MM (24 hours)`, '^([01]\\d|2[0-3]):[0-5]\\d$')
}
export const moment = (description: string) => {
  return code(`${description}, like 2026-05-31T14:30`, '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$')
}
export const described = (schema: object, description: string) => ({ ...schema, description })
export const between = (schema: object, minimum: number, maximum?: number) => {
  return maximum === undefined ? { ...schema, minimum } : { ...schema, minimum, maximum }
}

/** A text as somebody may write it down: with or without a capital and a full stop. */
export const written = (...values: string[]) => {
  return values.flatMap((value) => {
    const capital = value.slice(0, 1).toUpperCase() + value.slice(1)
    return [...new Set([value, capital, `${capital}.`, `${value}.`])]
  })
}

type Arguments = Record<string, unknown>

/** One call, and as good with one of several values. */
export const worded = (
  ask: string,
  name: string,
  args: Arguments,
  key: string,
  ...values: unknown[]
): PlannerCase => {
  return either(ask, ...values.map((value): CaseCall[] => [[name, { ...args, [key]: value }]]))
}

/** One call, and as good with more arguments. */
export const maybe = (ask: string, name: string, args: Arguments, ...more: Arguments[]): PlannerCase => {
  return either(ask, [[name, args]], ...more.map((extra): CaseCall[] => [[name, { ...args, ...extra }]]))
}
