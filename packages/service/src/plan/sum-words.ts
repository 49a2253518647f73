/** A sum in words, in signs: "subtract 15 from 100" as `100 - 15`. Its numbers are digits already, its letters small. */
export function toSigns(text: string): string {
  return rules.reduce(
    (current, [pattern, replacement]) => current.replace(pattern, replacement as string),
    text,
  )
}

/** A number in digits, as a pattern. */
export const digits = '-?\\d+(?:\\.\\d+)?(?:e[+-]\\d+)?'
const N = `(${digits})`
const list = `${digits}(?:,?\\s+and\\s+${digits}|,\\s+${digits})+`
type Rewrite = (whole: string, ...groups: string[]) => string
const rule = (pattern: string, replacement: string | Rewrite) =>
  [new RegExp(pattern, 'g'), replacement] as const
// "Twice 3 + 4" may mean either.
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
