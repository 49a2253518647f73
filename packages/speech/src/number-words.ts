const small = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
]
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const groups = ['', ' thousand', ' million', ' billion', ' trillion']

/** Writes a whole number in words. If it has more than 15 digits, reads the digits one by one. */
export function toCardinal(digits: string): string {
  if (digits.length > 15) return toDigits(digits)
  const value = Number(digits)
  if (value === 0) return 'zero'
  const parts: string[] = []
  for (let rest = value, group = 0; rest > 0; rest = Math.floor(rest / 1000), group++) {
    const words = belowThousand(rest % 1000)
    if (words !== '') parts.unshift(words + groups[group])
  }
  return parts.join(' ')
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100)
  const rest = value % 100
  const words = hundreds > 0 ? [`${small[hundreds]} hundred`] : []
  if (rest > 0) words.push(belowHundred(rest))
  return words.join(' ')
}

function belowHundred(value: number): string {
  if (value < 20) return small[value] ?? ''
  const unit = value % 10
  return unit === 0 ? (tens[Math.floor(value / 10)] ?? '') : `${tens[Math.floor(value / 10)]} ${small[unit]}`
}

const irregular: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}

/** Writes an ordinal in words: `twenty third`. */
export function toOrdinal(digits: string): string {
  const words = toCardinal(digits).split(' ')
  const last = words.pop() ?? ''
  return [...words, irregular[last] ?? `${last.replace(/y$/, 'ie')}th`].join(' ')
}

/** Reads digits one by one. `zero` is the word for 0, such as `oh` in years and room numbers. */
export function toDigits(digits: string, zero = 'zero'): string {
  return Array.from(digits, (digit) => (digit === '0' ? zero : small[Number(digit)])).join(' ')
}

/** Writes a year of four digits: `nineteen oh five`, `two thousand six`, `twenty twenty six`. */
export function toYear(digits: string): string {
  const [century, rest] = [digits.slice(0, 2), digits.slice(2)]
  if (digits[1] === '0' && digits[2] === '0') return toCardinal(digits)
  if (rest === '00') return `${toCardinal(century)} hundred`
  return `${toCardinal(century)} ${rest.startsWith('0') ? `oh ${toCardinal(rest)}` : toCardinal(rest)}`
}

/** Writes a number with a sign, thousands separators and decimals: `-1,234.50`. */
export function toNumber(text: string): string {
  const [, sign = '', whole = '', decimals] = /^([-+]?)([\d,]*)(?:\.(\d+))?$/.exec(text) ?? []
  const words = toCardinal(whole.replaceAll(',', '') || '0')
  const signed = sign === '-' ? `minus ${words}` : sign === '+' ? `plus ${words}` : words
  return decimals === undefined ? signed : `${signed} point ${toDigits(decimals)}`
}

/** Reads a Roman numeral up to 39. Undefined for any other text. */
export function toRoman(text: string): number | undefined {
  if (!/^X{0,3}(?:IX|IV|V?I{0,3})$/.test(text) || text === '') return undefined
  const values: Readonly<Record<string, number>> = { X: 10, V: 5, I: 1 }
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const value = values[text[at] ?? ''] ?? 0
    sum += value < (values[text[at + 1] ?? ''] ?? 0) ? -value : value
  }
  return sum
}
