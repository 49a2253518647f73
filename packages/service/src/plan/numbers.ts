import { type Found, maskQuotes } from './words.js'

/** A number in text. Beyond the range of a double, its value is `Infinity`. */
export interface FoundNumber extends Found<number> {
  /** The number's digits without thousands separators. Words and exponents are written out. */
  readonly digits: string
}

/** Finds numbers outside quotations: `1,250.50`, `-3`, `1e3`, `twenty-five`, `a dozen`, `2.5 million`. */
export function findNumbers(text: string): FoundNumber[] {
  const masked = maskQuotes(text)
  if (!maybeNumber.test(masked)) return []
  return [...masked.matchAll(numeral)].map((match) => {
    const written = match[0]
      .toLowerCase()
      .replace(/(?<=\d)(?:st|nd|rd|th)\b/, '')
      .replaceAll(',', '')
      .replace('−', '-')
    const isBelow =
      written.startsWith('-') || signed.test(masked.slice(Math.max(0, match.index - 24), match.index))
    const plain = written.replace(/^-/, '')
    const value = isBelow ? -toValue(plain) : toValue(plain)
    const digits = /^[\d.]+$/.test(plain) ? `${isBelow ? '-' : ''}${plain}` : String(value)
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
const powers = new Map(Object.entries({ thousand: 3, million: 6, billion: 9, trillion: 12 }))

// "-€30", "minus 3", but not "five minus 3".
const signed = new RegExp(
  `(?:^|[\\s(])[-−]\\s?[$€£¥₹]\\s?$|(?<!(?:[\\d)]|${[...units, ...teens, ...tens, ...powers.keys()].join('|')})\\s{1,3})\\bminus\\s+(?:[$€£¥₹]\\s?)?$`,
  'i',
)

const unit = `(?:${units.join('|')})`
const below100 = `(?:(?:${tens.join('|')})(?:[-\\s]${unit})?|${teens.join('|')}|${unit})`
const below1000 = `(?:(?:${unit}|a)\\s+hundred(?:\\s+(?:and\\s+)?${below100})?|${below100})`
const inWords = `\\b${below1000}(?:\\s+point(?:\\s+${unit})+)?`
const inDigits =
  '(?<![\\w.,#/-]|\\d:|[A-Za-z]\\^)(?:(?<=^|[\\s(])[-−])?(?:\\d{1,3}(?:,\\d{3})+(?![^[\\]]*\\])|\\d+)(?:\\.\\d+)?(?:e[+-]?\\d{1,20}(?!\\w))?(?:(?:st|nd|rd|th)\\b)?(?!\\d|\\.\\d|\\w{0,20}[-/:]\\d)'
const scale = `(?:(?:hundred\\s+)?(?:${[...powers.keys()].join('|')})|hundred|dozen)`
// "Half a kilo", not "half a page".
const half = '\\bhalf\\s+an?(?=\\s+(?:kilo|gram|lit(?:er|re)|gallon|mile|ton|pound|ounce|met(?:er|re)|inch))'
const scaled = `(?:(?:${inDigits}|${inWords})(?:\\s+and\\s+a\\s+half)?|\\b(?:half\\s+)?a)\\s+${scale}\\b`
// "Two thousand and five" is one number, "one million and two million" are two.
const rest = `(?:\\s+(?:and\\s+)?${below1000}\\b(?!\\s+${scale}))?`
// Every numeral contains one of these: this test is far cheaper than the search for a numeral.
const maybeNumber = new RegExp(
  `\\d|half|hundred|dozen|${[...units, ...teens, ...tens, ...powers.keys()].join('|')}`,
  'i',
)
const numeral = new RegExp(`${scaled}(?:\\s+${scaled})*${rest}|${half}|${inDigits}|${inWords}\\b`, 'gi')

function toValue(written: string): number {
  const plain = written.replace('and a half', 'half').replace(/half an?\b/, 'half')
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

/** Finds sizes in text, as `<width>x<height>`: `512x512`, and `200 x 100` unless it is a product. */
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

export interface Arithmetic {
  /** In usual notation, for example `17 / 100 * 2450` or `sqrt(144)`. */
  readonly expression: string
  /** The operation and its two operands, if there is exactly one. */
  readonly binary: { readonly operation: Operation; readonly a: number; readonly b: number } | undefined
}

export type Operation = 'add' | 'subtract' | 'multiply' | 'divide' | 'power' | 'percent'

/** Finds a calculation: "17 percent of 2450". Undefined if a part of it is unclear, as half of it would be wrong. */
export function findArithmetic(text: string): Arithmetic | undefined {
  if (text.length > longest) return undefined
  const written = withDigits(text)
  if (written === undefined) return undefined
  const rewritten = toSigns(written.toLowerCase())
  const [widest] = [...rewritten.matchAll(calculation)].sort((one, other) => other[0].length - one[0].length)
  if (!widest || goesOn(rewritten, widest)) return undefined
  const expression = balance(tidy(widest[0])).replace(/^\(([^()]*)\)$/, '$1')
  return { expression, binary: toBinary(expression) }
}

// Limits the work of the patterns below. Nobody writes longer sums in a sentence.
const longest = 1000

const digits = '-?\\d+(?:\\.\\d+)?(?:e[+-]\\d+)?'

const atom = `(?:sqrt\\(${digits}\\)|${digits})`
// A minus sign needs spaces on both sides: "2026-11-21" and "10-12" are not calculations.
const calculation = new RegExp(
  `(?<![\\w.])(?:[\\s(]*${atom}(?:\\s*\\))*(?:(?:\\s*[+*/^]|\\s+-\\s|\\s*\\*\\*)[\\s(]*${atom}(?:\\s*\\))*)+|sqrt\\(${digits}\\))`,
  'g',
)

/** Writes numbers in digits, without sizes and quotations. Undefined if a number is too large. */
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

/** Whether the calculation continues before or after this part, in words that were not understood. */
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

// One of the brackets may belong to the sentence: "(that is 3 + 4)".
function balance(expression: string): string {
  const isOpen = expression.split('(').length < expression.split(')').length
  return isOpen ? expression.replace(/\)(?=[^)]*$)/, '').trim() : expression
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
const shares: Readonly<Record<string, number>> = { half: 2, third: 3, quarter: 4, fifth: 5, tenth: 10 }
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
