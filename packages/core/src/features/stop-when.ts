import { CapstanError } from '../errors.js'
import { areFunctions, kindOf } from '../option-names.js'
import type { Feature, StopCondition } from '../run/feature.js'

/** The option `stopWhen`: ends a run as `condition` when one of the conditions is true after a step. */
export function stopWhen(): Feature {
  return {
    name,
    agentOptions: { stopWhen: ['a function, or a list of functions', areFunctions] },
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

/** True when all conditions are true. */
export function allOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => conditions.every((holds) => holds(progress))
}

/** True when one condition is true. */
export function anyOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => conditions.some((holds) => holds(progress))
}

/** True when no condition is true. */
export function noneOf(...conditions: readonly StopCondition[]): StopCondition {
  checkConditions(conditions)
  return (progress) => !conditions.some((holds) => holds(progress))
}

/** True once a call of this tool has succeeded. */
export function hasCalled(name: string): StopCondition {
  if (typeof name !== 'string')
    throw new CapstanError('invalid_request', `hasCalled takes a tool name, not ${kindOf(name)}.`)
  return ({ toolCalls }) => toolCalls.some((call) => call.name === name && call.status === 'ok')
}

function checkConditions(conditions: readonly unknown[]): void {
  for (const one of conditions) {
    if (typeof one === 'function') continue
    const message = `A stop condition is ${kindOf(one)}. Use a function, such as hasCalled(name).`
    throw new CapstanError('invalid_request', message)
  }
}
