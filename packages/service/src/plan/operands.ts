import type { Arithmetic, Operation } from './arithmetic.js'
import { findArithmetic } from './arithmetic.js'
import { findNumbers } from './numbers.js'
import type { PlannerTool } from './planner-tool.js'
import type { Slot } from './slots.js'
import { splitName } from './words.js'

/**
 * The arguments a calculation in the text gives to a calculating tool, by slot name; empty for other tools. A slot is
 * there without a value when the tool would calculate something else than what is asked.
 */
export function toOperands(tool: PlannerTool, text: string): ReadonlyMap<string, unknown> {
  const expression = tool.slots.find(({ kind }) => kind === 'expression')
  const numbers = tool.slots.filter(({ kind }) => kind === 'number')
  if (!expression && numbers.length < 2) return new Map()
  const found = findArithmetic(text)
  if (expression) return new Map(found && [[expression.name, found.expression]])
  const operands =
    found?.binary && (byOperation(tool, numbers, found.binary) ?? byPercent(numbers, found.binary))
  if (operands) return new Map(operands)
  const isOther = isCalculator(tool) && (found !== undefined || !holdsTwoNumbers(text))
  return new Map(isOther ? numbers.map(({ name }) => [name, undefined]) : [])
}

// Two and nothing that would make others of them.
function holdsTwoNumbers(text: string): boolean {
  const numbers = findNumbers(text).filter(({ value }) => Number.isFinite(value))
  return numbers.length === 2 && !/%|\bpercent\b/i.test(text)
}

type Binary = NonNullable<Arithmetic['binary']>
type Entries = [name: string, value: unknown][]

function byOperation(tool: PlannerTool, [first, second]: Slot[], binary: Binary): Entries | undefined {
  if (first && second && isNamedFor(tool, binary.operation))
    return [
      [first.name, binary.a],
      [second.name, binary.b],
    ]
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

// Two numbers and an operation to choose, or one in its name.
function isCalculator(tool: PlannerTool): boolean {
  const operations = Object.keys(operationNames) as Operation[]
  const isChosen = (operation: Operation) =>
    tool.slots.some((slot) => slot.kind === 'choice' && namedIn(slot, operation) !== undefined)
  return operations.some((operation) => isNamedFor(tool, operation)) || operations.filter(isChosen).length > 1
}

// "Multiply" with two numbers, or "multiply_numbers"; not "add_item", which has other parameters too.
function isNamedFor(tool: PlannerTool, operation: Operation): boolean {
  const required = tool.slots.filter((slot) => slot.required)
  const words = splitName(tool.name).split(' ')
  return (
    required.length === 2 &&
    required.every(({ kind }) => kind === 'number') &&
    words.some((word) => operationNames[operation].test(word))
  )
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
