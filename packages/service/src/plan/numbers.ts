import { type Found, maskQuotes } from './spans.js'

/** A number in a text. One beyond the range of a double has the value `Infinity`. */
export interface FoundNumber extends Found<number> {
  /** Its digits without thousands separators. Words and exponents are written out. */
  readonly digits: string
}

/**
 * Finds the numbers of a text outside quotations: `1,250.50`, `-3`, `1e3`, `twenty-five`, `a dozen`, `2.5
 * million`.
 */
export function findNumbers(text: string): FoundNumber[] {
  const masked = maskQuotes(text)
  if (!maybeNumber.test(masked)) return []
  return [...masked.matchAll(numeral)].map((match) => {
    const written = match[0]
      .toLowerCase()
      .replace(/(?<=\d)(?:st|nd|rd|th)\b/, '')
      .replaceAll(',', '')
      .replace('−', '-')
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
  '(?<![\\w.,#/-]|\\d:)(?:(?<=^|[\\s(])[-−])?(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:e[+-]?\\d{1,20}(?!\\w))?(?:(?:st|nd|rd|th)\\b)?(?!\\d|\\.\\d|\\w{0,20}[-/:]\\d)'
const scale = `(?:(?:hundred\\s+)?(?:${[...powers.keys()].join('|')})|hundred|dozen)`
const scaled = `(?:(?:${inDigits}|${inWords})(?:\\s+and\\s+a\\s+half)?|\\b(?:half\\s+)?a)\\s+${scale}\\b`
// "Two thousand and five" is one number, "one million and two million" are two.
const rest = `(?:\\s+(?:and\\s+)?${below1000}\\b(?!\\s+${scale}))?`
// Each numeral has one of these: this test is far cheaper than the search for a numeral.
const maybeNumber = new RegExp(
  `\\d|hundred|dozen|${[...units, ...teens, ...tens, ...powers.keys()].join('|')}`,
  'i',
)
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

// "Two point five million": the digits after the point are its decimals.
function toValueWithPoint(plain: string): number {
  const [whole = '', behind = ''] = plain.split(/\s+point\s+/)
  const words = behind.split(/\s+/)
  const decimals = words.filter((word) => units.includes(word))
  const value = Number(`${toValue(whole)}.${decimals.map((word) => values.get(word)).join('')}`)
  return words
    .slice(decimals.length)
    .reduce((scaled, word) => shift(scaled, powers.get(word) ?? (word === 'hundred' ? 2 : 0)), value)
}

// Shifts the decimal notation, where 1.1 million is exact; a product of binary fractions is not.
function shift(value: number, power: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  return Number(`${digits}e${Number(exponent) + power}`)
}

/** Finds the sizes of a text as `<width>x<height>`: `512x512`, and `200 x 100` unless it is a product. */
export function findSizes(text: string): Found<string>[] {
  const masked = maskQuotes(text)
  return [...masked.matchAll(pair)].flatMap((match) => {
    const [whole, width, height] = match
    const start = match.index
    const end = start + whole.length
    const isSize = whole === `${width}x${height}` || pictured.test(masked) || isMeasure(masked, start, end)
    return isSize ? [{ value: `${width}x${height}`, start, end }] : []
  })
}

const pair = /(?<![\w.,]|[-+*/^]\s)(\d{1,5})\s{0,3}[x×]\s{0,3}(\d{1,5})\b(?![.,]\d)/gi

const pictured =
  /\b(?:picture|image|photo|drawing|draw|painting|paint|sketch|illustration|thumbnail|pixels?|px)\b/i

// "A 3 x 4 table", "a page of size 3 x 4": an article or "size" precedes it, or a noun with a size follows.
function isMeasure(text: string, start: number, end: number): boolean {
  return leads.test(text.slice(Math.max(0, start - 30), start)) || follows.test(text.slice(end, end + 30))
}

const leads = /\b(?:an?|size|sized|dimensions|resolution|format|measuring|measures)(?:\s+(?:of|is))?\s+$/i
const follows = /^\s*(?:cm|mm|m|km|inch(?:es)?|feet|ft|met(?:er|re)s?|grid|table|board|room|frame|matrix)\b/i
