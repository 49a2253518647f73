import type { Found } from './quotes.js'
import { maskQuotes } from './quotes.js'

/** A number in a text; one too large to count with has the value `Infinity`. */
export interface FoundNumber extends Found<number> {
  /** How it was written, without thousands separators; words and exponents are written out. */
  readonly digits: string
}

/** The numbers of a text outside quotations: `1,250.50`, `-3`, `1e3`, `twenty-five`, `a dozen`, `2.5 million`. */
export function findNumbers(text: string): FoundNumber[] {
  return [...maskQuotes(text).matchAll(numeral)].map((match) => {
    const written = match[0].toLowerCase().replaceAll(',', '').replace('−', '-')
    const value = written.startsWith('-') ? -toValue(written.slice(1)) : toValue(written)
    const digits = /^-?[\d.]+$/.test(written) ? written : String(value)
    return { value, digits, start: match.index, end: match.index + match[0].length }
  })
}

const units = 'zero one two three four five six seven eight nine'.split(' ')
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ')
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const values = new Map([
  ...[...units, ...teens].map((word, index) => [word, index] as const),
  ...tens.map((word, index) => [word, (index + 2) * 10] as const),
  ['a', 1] as const,
  ['half', 0.5] as const,
])
const powers = new Map([
  ['thousand', 3],
  ['million', 6],
  ['billion', 9],
  ['trillion', 12],
])

const unit = `(?:${units.join('|')})`
const below100 = `(?:(?:${tens.join('|')})(?:[-\\s]${unit})?|${teens.join('|')}|${unit})`
const below1000 = `(?:(?:${unit}|a)\\s+hundred(?:\\s+(?:and\\s+)?${below100})?|${below100})`
const inWords = `\\b${below1000}(?:\\s+point(?:\\s+${unit})+)?`
const inDigits =
  '(?<![\\w.,#/-]|\\d:)(?:(?<=^|[\\s(])[-−])?(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:e[+-]?\\d{1,20}(?!\\w))?(?!\\d|\\.\\d|\\w{0,20}[-/:]\\d)'
const scale = `(?:(?:hundred\\s+)?(?:${[...powers.keys()].join('|')})|hundred|dozen)`
const scaled = `(?:(?:${inDigits}|${inWords})(?:\\s+and\\s+a\\s+half)?|\\b(?:half\\s+)?a)\\s+${scale}\\b`
// "Two thousand and five" is one number, "one million and two million" are two.
const rest = `(?:\\s+(?:and\\s+)?${below1000}\\b(?!\\s+${scale}))?`
const numeral = new RegExp(`${scaled}(?:\\s+${scaled})*${rest}|${inDigits}|${inWords}\\b`, 'gi')

function toValue(written: string): number {
  const plain = written.replace('and a half', 'half').replace('half a ', 'half ')
  let total = 0
  let group = 0
  for (const word of plain.split(/(?<=[a-z]{2})-|\s+/)) {
    const power = powers.get(word)
    if (word === 'hundred') group *= 100
    else if (word === 'dozen') group *= 12
    else if (word === 'point') return toValueWithPoint(plain)
    else if (power === undefined) group += values.get(word) ?? (/^\d/.test(word) ? Number(word) : 0)
    else {
      total += shift(group, power)
      group = 0
    }
  }
  return total + group
}

// "Two point five million": the units behind the point are its decimals.
function toValueWithPoint(plain: string): number {
  const [whole = '', behind = ''] = plain.split(/\s+point\s+/)
  const words = behind.split(/\s+/)
  const decimals = words.filter((word) => units.includes(word))
  const value = Number(`${toValue(whole)}.${decimals.map((word) => values.get(word)).join('')}`)
  return words
    .slice(decimals.length)
    .reduce((scaled, word) => shift(scaled, powers.get(word) ?? (word === 'hundred' ? 2 : 0)), value)
}

// In the decimal notation, where 1.1 million is exact; a product of binary fractions is not.
function shift(value: number, power: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  return Number(`${digits}e${Number(exponent) + power}`)
}
