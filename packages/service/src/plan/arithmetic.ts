import { findNumbers, findSizes } from './numbers.js'
import type { PlannerTool } from './planner-tool.js'
import { onceFor, type Reading } from './read-clause.js'
import type { Slot } from './slots.js'
import { maskQuotes } from './spans.js'
import { splitName } from './words.js'

/** A calculation found in a text. */
export interface Arithmetic {
  /** In the usual notation, for example `17 / 100 * 2450` or `sqrt(144)`. */
  readonly expression: string
  /** The operation and its two operands, when there is exactly one. */
  readonly binary: { readonly operation: Operation; readonly a: number; readonly b: number } | undefined
}

type Operation = 'add' | 'subtract' | 'multiply' | 'divide' | 'power' | 'percent'

/**
 * Finds the calculation in a text, written as words or signs: "17 percent of 2450", "subtract 15 from 100".
 * Returns undefined when a part is not understood or a number is too large: half a sum would be a wrong
 * result.
 */
export function findArithmetic(text: string): Arithmetic | undefined {
  if (text.length > longest) return undefined
  const written = withDigits(text)
  if (written === undefined) return undefined
  const rewritten = toSigns(written.toLowerCase())
  const [widest] = [...rewritten.matchAll(calculation)].sort((one, other) => other[0].length - one[0].length)
  if (!widest || goesOn(rewritten, widest)) return undefined
  const expression = unwrap(balance(tidy(widest[0])))
  return { expression, binary: toBinary(expression) }
}

// Limits the work of the patterns below. Longer sums are not written in a sentence.
const longest = 1000

/** A pattern for a number in digits. */
const digits = '-?\\d+(?:\\.\\d+)?(?:e[+-]\\d+)?'

const atom = `(?:sqrt\\(${digits}\\)|${digits})`
// A minus sign needs spaces on both sides: "2026-11-21" and "10-12" are not calculations.
const calculation = new RegExp(
  `(?<![\\w.])(?:[\\s(]*${atom}(?:\\s*\\))*(?:(?:\\s*[+*/^]|\\s+-\\s|\\s*\\*\\*)[\\s(]*${atom}(?:\\s*\\))*)+|sqrt\\(${digits}\\))`,
  'g',
)

/**
 * Writes the numbers of a text in digits and removes sizes and quotations. Returns undefined when a number is
 * too large.
 */
function withDigits(text: string): string | undefined {
  const sizes = findSizes(text)
  const numbers = findNumbers(text).filter(
    ({ start }) => !sizes.some((size) => start < size.end && start >= size.start),
  )
  if (numbers.some(({ value }) => !Number.isFinite(value))) return undefined
  const spans = [...numbers, ...sizes.map((size) => ({ ...size, digits: '' }))]
  const masked = maskQuotes(text)
  let result = ''
  let at = 0
  for (const { start, end, digits } of spans.sort((one, other) => one.start - other.start)) {
    result += masked.slice(at, start) + digits
    at = end
  }
  return (result + masked.slice(at)).replace(/[$€£](?=\d)/g, '')
}

// Whether the calculation is part of a longer one that was not understood.
function goesOn(text: string, { 0: run, index }: { 0: string; index: number }): boolean {
  return before.test(text.slice(0, index)) || after.test(text.slice(index + run.trimEnd().length))
}

const links = '%|percent|per cent|and|or|by|from|to|of|off|with|point|plus|minus|times|mod|modulo|,'
const before = new RegExp(
  `\\d\\)?\\s*(?:${links})?\\s*$|\\b(?:minus|negative|half|third|quarter|twice|double|triple|average|mean|log|ln|sin|cos|tan)\\s+(?:of\\s+)?(?:the\\s+)?$`,
)
const after = new RegExp(
  `^(?:\\.?\\w|\\s*(?:%|percent\\b|per cent\\b|squared\\b|cubed\\b|!)|,?\\s*(?:\\b(?:${links})\\s*|[-+*/^])?[(-]?\\d)`,
)

function tidy(run: string): string {
  const spaced = run.replace(/\s*(\*\*|(?<!\de)[+*/^])\s*/g, ' $1 ').replace(/\s+/g, ' ')
  return spaced.replace(/\(\s+/g, '(').replace(/\s+\)/g, ')').trim()
}

// One of its brackets may belong to the sentence: "(that is 3 + 4)".
function balance(expression: string): string {
  const opened = expression.split('(').length
  const closed = expression.split(')').length
  if (opened > closed) return expression.replace('(', '').trim()
  return opened < closed ? expression.replace(/\)(?=[^)]*$)/, '').trim() : expression
}

function unwrap(expression: string): string {
  return expression.replace(/^\(([^()]*)\)$/, '$1')
}

const operations: Readonly<Record<string, Operation>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '^': 'power',
}

function toBinary(expression: string): Arithmetic['binary'] {
  const percent = new RegExp(`^(${digits}) / 100 \\* (${digits})$`).exec(expression)
  if (percent) return { operation: 'percent', a: Number(percent[1]), b: Number(percent[2]) }
  const [, a, sign = '', b] = new RegExp(`^(${digits}) ([-+*/^]) (${digits})$`).exec(expression) ?? []
  const operation = operations[sign]
  return operation ? { operation, a: Number(a), b: Number(b) } : undefined
}

/** Converts a sum in words to signs: "subtract 15 from 100" to `100 - 15`. Expects digits and lower case. */
function toSigns(text: string): string {
  return rules.reduce(
    (current, [pattern, replacement]) => current.replace(pattern, replacement as string),
    text,
  )
}

const N = `(${digits})`
const list = `${digits}(?:,?\\s+and\\s+${digits}|,\\s+${digits})+`
type Rewrite = (whole: string, ...groups: string[]) => string
const rule = (pattern: string, replacement: string | Rewrite) =>
  [new RegExp(pattern, 'g'), replacement] as const
// "Twice 3 + 4" is ambiguous.
const alone = '(?![\\d.]*\\s*(?:[-+*/^x×÷(]|plus|minus|times|divided|and|over))'
const joined = (numbers: string, sign: string) => numbers.split(/,?\s+and\s+|,\s+/).join(` ${sign} `)
const shares: Readonly<Record<string, string>> = {
  half: '2',
  third: '3',
  quarter: '4',
  fifth: '5',
  tenth: '10',
}
const multiples: Readonly<Record<string, string>> = { twice: '2', double: '2', triple: '3', thrice: '3' }

const rules = [
  rule(`(?:sum of|sum|total of|add(?: up)?)\\s+(${list})(?!\\s*(?:to|from)\\b)`, (_, numbers = '') =>
    joined(numbers, '+'),
  ),
  rule(`(?:product of|multiply)\\s+(${list})(?!\\s*by\\b)`, (_, numbers = '') => joined(numbers, '*')),
  rule(`(?:average|mean)\\s+of\\s+(${list})`, (_, numbers = '') => {
    return `(${joined(numbers, '+')}) / ${joined(numbers, '+').split(' + ').length}`
  }),
  rule(
    `(?:one\\s+|a\\s+|1\\s+|0\\.5\\s+)?(half|third|quarter|fifth|tenth)\\s+of\\s+${N}${alone}`,
    (_, share = '', number = '') => {
      return `${number} / ${shares[share]}`
    },
  ),
  rule(
    `(twice|double|triple|thrice)\\s+${N}${alone}`,
    (_, multiple = '', number = '') => `${multiples[multiple]} * ${number}`,
  ),
  rule(`${N}\\s*(?:%|percent|per cent)\\s+more\\s+than\\s+${N}`, '($2 + $1 / 100 * $2)'),
  rule(`${N}\\s*(?:%|percent|per cent)\\s+less\\s+than\\s+${N}`, '($2 - $1 / 100 * $2)'),
  rule(`(?:increase|raise)\\s+${N}\\s+by\\s+${N}\\s*(?:%|percent|per cent)`, '($1 + $2 / 100 * $1)'),
  rule(`(?:decrease|reduce)\\s+${N}\\s+by\\s+${N}\\s*(?:%|percent|per cent)`, '($1 - $2 / 100 * $1)'),
  rule(`${N}\\s*(?:%|percent|per cent)\\s+off\\s+(?:of\\s+)?${N}`, '($2 - $1 / 100 * $2)'),
  rule(`${N}\\s*(?:%|percent|per cent)\\s+(?:\\w+\\s+)?(?:of|on)\\s+${N}`, '($1 / 100 * $2)'),
  rule(`(?:add|sum of|sum)\\s+${N}\\s+(?:and|to|with|plus)\\s+${N}`, '$1 + $2'),
  rule(`subtract\\s+${N}\\s+from\\s+${N}`, '$2 - $1'),
  rule(`difference (?:between|of)\\s+${N}\\s+and\\s+${N}`, '$1 - $2'),
  rule(`(?:multiply|product of)\\s+${N}\\s+(?:by|and|with|times)\\s+${N}`, '$1 * $2'),
  rule(`(?:divide|quotient of)\\s+${N}\\s+(?:by|and)\\s+${N}`, '$1 / $2'),
  rule(`(?:square root of|sqrt of|root of)\\s+${N}`, 'sqrt($1)'),
  rule(`${N}\\s+squared`, '($1 * $1)'),
  rule(`${N}\\s+cubed`, '($1 * $1 * $1)'),
  rule(`${N}\\s+(?:to the power of|raised to)\\s+(?:the\\s+)?${N}`, '$1 ^ $2'),
  rule(`(?<=[\\d)])\\s*(?:plus)\\s+(?=[\\d(s-])`, ' + '),
  rule(`(?<=[\\d)])\\s*(?:minus)\\s+(?=[\\d(s-])`, ' - '),
  rule(`(?<=[\\d)])\\s*(?:times|multiplied by|×|\\sx\\s)\\s*(?=[\\d(s-])`, ' * '),
  rule(`(?<=[\\d)])\\s*(?:divided by|over|÷)\\s*(?=[\\d(s-])`, ' / '),
]

/**
 * Returns the arguments that a calculation in the text gives to a calculating tool, by slot name. Empty for
 * other tools. A slot without a value means that the tool calculates something else.
 */
export function toOperands(tool: PlannerTool, reading: Reading): ReadonlyMap<string, unknown> {
  const expression = tool.slots.find(({ kind }) => kind === 'expression')
  const numbers = tool.slots.filter(({ kind }) => kind === 'number')
  if (!expression && numbers.length < 2) return new Map()
  const { text } = reading
  const found = sumIn(reading)
  if (expression) return new Map(found && [[expression.name, found.expression]])
  const operands =
    found?.binary && (byOperation(tool, numbers, found.binary) ?? byPercent(numbers, found.binary))
  if (operands) return new Map(operands)
  const isOther = isCalculator(tool) && (found !== undefined || !holdsTwoNumbers(text))
  return new Map(isOther ? numbers.map(({ name }) => [name, undefined]) : [])
}

const sumIn = onceFor(({ text }: Reading) => findArithmetic(text))

// Exactly two numbers, and no percent sign that changes them.
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

// A tool with two numbers and an operation among its choices or in its name.
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
