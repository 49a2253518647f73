import { invalidRequest } from '../errors.js'
import { isFunction, isString } from '../json.js'
import { areFunctions, kindOf } from '../option-names.js'
import type { Feature, StopCondition } from '../run/feature.js'

/** Adds the `stopWhen` option, which ends a run as `condition` if one of its conditions is true after a step. */
export function stopWhen(): Feature {
  return {
    name,
    agentOptions: { stopWhen: ['a function, or an array of them', areFunctions] },
    forAgent: ({ stopWhen: given }: Given) =>
      given && {
        name,
        shouldStop({ toolCalls, usage, step: stepCount }) {
          const isTrue = (holds: StopCondition) => holds({ stepCount, toolCalls, usage })
          return toolCalls.length > 0 && [given].flat().some(isTrue) ? { reason: 'condition' } : undefined
        },
      },
  }
}

type Given = { readonly stopWhen?: StopCondition | readonly StopCondition[] }

const name = 'stop-when'

/** Returns a condition that is true if all of the conditions are true. */
export function allOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => conditions.every((holds) => holds(progress))
}

/** Returns a condition that is true if at least one of the conditions is true. */
export function anyOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => conditions.some((holds) => holds(progress))
}

/** Returns a condition that is true if none of the conditions is true. */
export function noneOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => !conditions.some((holds) => holds(progress))
}

/** Returns a condition that is true once a call to this tool has succeeded. */
export function hasCalled(name: string): StopCondition {
  if (!isString(name)) throw invalidRequest(`hasCalled takes a tool name, not ${kindOf(name)}.`)
  return ({ toolCalls }) => toolCalls.some((call) => call.name === name && call.status === 'ok')
}

function checkConditions(conditions: readonly unknown[]): void {
  for (const one of conditions) {
    if (isFunction(one)) continue
    const message = `A stop condition is ${kindOf(one)}. Use a function, such as hasCalled(name).`
    throw invalidRequest(message)
  }
}
