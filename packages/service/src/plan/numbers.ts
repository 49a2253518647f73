import type { Found } from './quotes.js'
import { maskQuotes } from './quotes.js'

/** A number in a text. `digits` is how it was written, without thousands separators. */
export interface FoundNumber extends Found<number> {
  readonly digits: string
}

/** The numbers of a text outside quotations, in digits or in words: `1,250.50`, `-3`, `twenty-five`, `a dozen`. */
export function findNumbers(text: string): FoundNumber[] {
  return [...maskQuotes(text).matchAll(numeral)].map((match) => {
    const written = match[0]
    const digits = /\d/.test(written)
      ? written.replaceAll(',', '').replace('−', '-')
      : String(toValue(written))
    return { value: Number(digits), digits, start: match.index, end: match.index + written.length }
  })
}

const units = 'zero one two three four five six seven eight nine'.split(' ')
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ')
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const values = new Map([
  ...[...units, ...teens].map((word, index) => [word, index] as const),
  ...tens.map((word, index) => [word, (index + 2) * 10] as const),
  ['dozen', 12] as const,
  ['a', 1] as const,
])

const below100 = `(?:(?:${tens.join('|')})(?:[-\\s](?:${units.join('|')}))?|${teens.join('|')}|${units.join('|')})`
const below1000 = `(?:(?:${units.join('|')}|a)\\s+hundred(?:\\s+(?:and\\s+)?${below100})?|${below100})`
const inWords = `(?:${below1000}|a)\\s+(?:thousand|million)(?:\\s+(?:and\\s+)?${below1000})?|${below1000}|a dozen`
const inDigits =
  '(?<![\\w.,#/-]|\\d:)(?:(?<=^|[\\s(])[-−])?(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?!\\d|\\.\\d|\\w{0,20}[-/:]\\d)'
const numeral = new RegExp(`${inDigits}|\\b(?:${inWords})\\b`, 'gi')

function toValue(words: string): number {
  let total = 0
  let group = 0
  for (const word of words.toLowerCase().split(/[-\s]+/)) {
    if (word === 'hundred') group *= 100
    else if (word === 'thousand' || word === 'million') {
      total += group * (word === 'million' ? 1_000_000 : 1000)
      group = 0
    } else if (word === 'dozen') group = 12
    else group += values.get(word) ?? 0
  }
  return total + group
}
