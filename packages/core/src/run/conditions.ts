import type { StopCondition } from './walk.js'

/** True when all of the conditions are. */
export function and(...conditions: readonly StopCondition[]): StopCondition {
  return (progress) => conditions.every((holds) => holds(progress))
}

/** True when one of the conditions is. */
export function or(...conditions: readonly StopCondition[]): StopCondition {
  return (progress) => conditions.some((holds) => holds(progress))
}

/** True when the condition is not. */
export function not(condition: StopCondition): StopCondition {
  return (progress) => !condition(progress)
}

/** True once a call of this tool has succeeded. */
export function hasCalled(name: string): StopCondition {
  return ({ toolCalls }) => toolCalls.some((call) => call.name === name && call.status === 'ok')
}
