import type { Arithmetic, Operation } from './arithmetic.js'
import { findArithmetic } from './arithmetic.js'
import type { PlannerTool } from './planner-tool.js'
import type { Slot } from './slots.js'

/** The arguments a calculation in the text gives to a calculating tool, by slot name; empty for other tools. */
export function toOperands(tool: PlannerTool, text: string): ReadonlyMap<string, unknown> {
  const expression = tool.slots.find(({ kind }) => kind === 'expression')
  const numbers = tool.slots.filter(({ kind }) => kind === 'number')
  if (!expression && numbers.length < 2) return new Map()
  const found = findArithmetic(text)
  if (!found) return new Map()
  if (expression) return new Map([[expression.name, found.expression]])
  return new Map(
    found.binary && (byOperation(tool, numbers, found.binary) ?? byPercent(numbers, found.binary)),
  )
}

type Binary = NonNullable<Arithmetic['binary']>
type Entries = [name: string, value: unknown][]

function byOperation(tool: PlannerTool, [first, second]: Slot[], binary: Binary): Entries | undefined {
  const choices = tool.slots.filter(({ kind }) => kind === 'choice')
  for (const choice of choices) {
    const named = (operation: Operation) => namedIn(choice, operation)
    const direct = named(binary.operation)
    const asProduct = binary.operation === 'percent' ? named('multiply') : undefined
    const value = direct ?? asProduct
    if (value === undefined || !first || !second) continue
    const a = direct === undefined ? binary.a / 100 : binary.a
    return [
      [first.name, a],
      [second.name, binary.b],
      [choice.name, value],
    ]
  }
  return undefined
}

function byPercent(numbers: Slot[], { operation, a, b }: Binary): Entries | undefined {
  const percent = numbers.find(({ words }) => /percent|rate/.test(words))
  const base = numbers.find((slot) => slot !== percent && slot.required)
  return operation === 'percent' && percent && base
    ? [
        [percent.name, a],
        [base.name, b],
      ]
    : undefined
}

const operationNames: Readonly<Record<Operation, RegExp>> = {
  add: /^(?:add|addition|plus|sum|\+)$/i,
  subtract: /^(?:sub|subtract|subtraction|minus|difference|-)$/i,
  multiply: /^(?:mul|multiply|multiplication|times|product|\*|x)$/i,
  divide: /^(?:div|divide|division|quotient|\/)$/i,
  power: /^(?:pow|power|exponent|exponentiate|\^|\*\*)$/i,
  percent: /^(?:percent|percentage|percent_of|percentage_of|%)$/i,
}

function namedIn({ schema }: Slot, operation: Operation): unknown {
  const values = Array.isArray(schema.enum) ? schema.enum : []
  return values.find((value) => operationNames[operation].test(String(value)))
}
