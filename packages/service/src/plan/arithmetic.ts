import { findNumbers } from './numbers.js'
import { maskQuotes } from './quotes.js'

/** A calculation found in a text. */
export interface Arithmetic {
  /** In the usual notation, for example `17 / 100 * 2450` or `sqrt(144)`. */
  readonly expression: string
  /** The two operands and what to do with them, when it is one operation. */
  readonly binary: { readonly operation: Operation; readonly a: number; readonly b: number } | undefined
}

export type Operation = 'add' | 'subtract' | 'multiply' | 'divide' | 'power' | 'percent'

/** Finds the calculation a text asks for in words or signs: "17 percent of 2450", "subtract 15 from 100". */
export function findArithmetic(text: string): Arithmetic | undefined {
  if (text.length > longest) return undefined
  const rewritten = rules.reduce(
    (current, [pattern, replacement]) => current.replace(pattern, replacement),
    withDigits(text).toLowerCase(),
  )
  const runs = rewritten.match(calculation) ?? []
  const widest = runs.reduce((best, run) => (run.length > best.length ? run : best), '')
  if (!/\d/.test(widest)) return undefined
  const expression = balance(tidy(widest))
  return { expression, binary: toBinary(expression) }
}

// Nobody says a longer sum in words; bounds the work of the patterns below.
const longest = 1000

const N = '(-?\\d+(?:\\.\\d+)?)'
const rule = (pattern: string, replacement: string) => [new RegExp(pattern, 'g'), replacement] as const

const rules = [
  rule(`${N}\\s*(?:%|percent|per cent)\\s+off\\s+(?:of\\s+)?[$€£]?${N}`, '$2 - $1 / 100 * $2'),
  rule(`${N}\\s*(?:%|percent|per cent)\\s+(?:\\w+\\s+)?(?:of|on)\\s+[$€£]?${N}`, '$1 / 100 * $2'),
  rule(`(?:add|sum of|sum)\\s+${N}\\s+(?:and|to|with|plus)\\s+${N}`, '$1 + $2'),
  rule(`subtract\\s+${N}\\s+from\\s+${N}`, '$2 - $1'),
  rule(`difference (?:between|of)\\s+${N}\\s+and\\s+${N}`, '$1 - $2'),
  rule(`(?:multiply|product of)\\s+${N}\\s+(?:by|and|with|times)\\s+${N}`, '$1 * $2'),
  rule(`(?:divide|quotient of)\\s+${N}\\s+(?:by|and)\\s+${N}`, '$1 / $2'),
  rule(`(?:square root of|sqrt of|root of)\\s+${N}`, 'sqrt($1)'),
  rule(`${N}\\s+squared`, '$1 * $1'),
  rule(`${N}\\s+cubed`, '$1 * $1 * $1'),
  rule(`${N}\\s+(?:to the power of|raised to)\\s+(?:the\\s+)?${N}`, '$1 ^ $2'),
  rule(`(?<=[\\d)])\\s*(?:plus)\\s+(?=[\\d(s-])`, ' + '),
  rule(`(?<=[\\d)])\\s*(?:minus)\\s+(?=[\\d(s-])`, ' - '),
  rule(`(?<=[\\d)])\\s*(?:times|multiplied by|×|\\sx\\s)\\s*(?=[\\d(s-])`, ' * '),
  rule(`(?<=[\\d)])\\s*(?:divided by|over|÷)\\s*(?=[\\d(s-])`, ' / '),
]

// A minus sign needs room on both sides: "2026-11-21" and "10-12" are no calculations.
const calculation =
  /(?:[\s(]*(?:sqrt\(-?\d+(?:\.\d+)?\)|-?\d+(?:\.\d+)?)\s*\)*)(?:(?:\s*[+*/^]|\s+-\s|\s*\*\*)[\s(]*(?:sqrt\(-?\d+(?:\.\d+)?\)|-?\d+(?:\.\d+)?)\s*\)*)+|sqrt\(-?\d+(?:\.\d+)?\)/g

function withDigits(text: string): string {
  let result = ''
  let at = 0
  const masked = maskQuotes(text)
  for (const { start, end, digits } of findNumbers(text)) {
    result += masked.slice(at, start) + digits
    at = end
  }
  return result + masked.slice(at)
}

function tidy(run: string): string {
  const spaced = run.replace(/\s*(\*\*|[+*/^])\s*/g, ' $1 ').replace(/\s+/g, ' ')
  return spaced.replace(/\(\s+/g, '(').replace(/\s+\)/g, ')').trim()
}

// The sentence around a calculation may own one of its brackets: "(that is 3 + 4)".
function balance(expression: string): string {
  const opened = expression.split('(').length
  const closed = expression.split(')').length
  if (opened > closed) return expression.replace('(', '').trim()
  return opened < closed ? expression.replace(/\)(?=[^)]*$)/, '').trim() : expression
}

const operations: Readonly<Record<string, Operation>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '^': 'power',
}

function toBinary(expression: string): Arithmetic['binary'] {
  const percent = new RegExp(`^${N} / 100 \\* ${N}$`).exec(expression)
  if (percent) return { operation: 'percent', a: Number(percent[1]), b: Number(percent[2]) }
  const [, a, sign = '', b] = new RegExp(`^${N} ([-+*/^]) ${N}$`).exec(expression) ?? []
  const operation = operations[sign]
  return operation ? { operation, a: Number(a), b: Number(b) } : undefined
}
