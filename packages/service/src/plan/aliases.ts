import { currencies, languages } from './nations.js'
import { stem } from './words.js'

/** Other spellings of a value that parameters are limited to: `km` is said as `kilometres`, `EUR` as `euros`. */
export function aliasesOf(value: string): readonly string[] {
  const own = stem(value)
  return groups.get(own)?.filter((word) => word !== own) ?? []
}

/** Whether a spelling is so short that it means a unit only beside a number or behind "to": `C`, `in`, `m`. */
export function isShort(word: string): boolean {
  return word.length <= 2 && /^\p{L}+$/u.test(word)
}

const spellings = [
  'celsius c °c centigrade',
  'fahrenheit f °f',
  'kelvin k',
  'km kilometer kilometre kms',
  'mi mile',
  'm meter metre',
  'ft foot feet',
  'cm centimeter centimetre',
  'mm millimeter millimetre',
  'in inch inches',
  'yd yard',
  'kg kilogram kilo',
  'g gram',
  'lb pound lbs',
  'oz ounce',
  'l liter litre',
  'ml milliliter millilitre',
  'gal gallon',
  'kmh km/h kph',
  'mean average avg',
  'max maximum largest highest biggest greatest',
  'min minimum smallest lowest least',
  'asc ascending',
  'desc descending',
]

const groups = new Map<string, string[]>()
for (const group of spellings) add(group.split(' '))
for (const [words, codes] of [
  [currencies, Object.values(currencies)],
  [languages, Object.values(languages)],
] as const) {
  for (const code of new Set(codes)) add([code, ...Object.keys(words).filter((word) => words[word] === code)])
}

// Where two groups share a spelling, such as "pound", each value keeps its own.
function add(words: readonly string[]): void {
  const stems = words.map(stem)
  for (const word of stems) groups.set(word, [...new Set([...(groups.get(word) ?? []), ...stems])])
}
