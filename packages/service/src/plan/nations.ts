import { stem } from './words.js'

/** Languages by English name, with their ISO 639-1 codes. */
export const languages: Readonly<Record<string, string>> = {
  arabic: 'ar',
  bengali: 'bn',
  bulgarian: 'bg',
  catalan: 'ca',
  chinese: 'zh',
  croatian: 'hr',
  czech: 'cs',
  danish: 'da',
  dutch: 'nl',
  english: 'en',
  estonian: 'et',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  greek: 'el',
  hebrew: 'he',
  hindi: 'hi',
  hungarian: 'hu',
  icelandic: 'is',
  indonesian: 'id',
  irish: 'ga',
  italian: 'it',
  japanese: 'ja',
  korean: 'ko',
  latin: 'la',
  latvian: 'lv',
  lithuanian: 'lt',
  malay: 'ms',
  mandarin: 'zh',
  norwegian: 'no',
  persian: 'fa',
  polish: 'pl',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  serbian: 'sr',
  slovak: 'sk',
  slovenian: 'sl',
  spanish: 'es',
  swahili: 'sw',
  swedish: 'sv',
  tamil: 'ta',
  thai: 'th',
  turkish: 'tr',
  ukrainian: 'uk',
  urdu: 'ur',
  vietnamese: 'vi',
  welsh: 'cy',
}

/** Currencies by their words and signs, with their ISO 4217 codes. */
export const currencies: Readonly<Record<string, string>> = {
  $: 'USD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  'us dollar': 'USD',
  dollar: 'USD',
  buck: 'USD',
  euro: 'EUR',
  'british pound': 'GBP',
  pound: 'GBP',
  sterling: 'GBP',
  'japanese yen': 'JPY',
  yen: 'JPY',
  yuan: 'CNY',
  renminbi: 'CNY',
  'swiss franc': 'CHF',
  franc: 'CHF',
  'canadian dollar': 'CAD',
  'australian dollar': 'AUD',
  'swedish krona': 'SEK',
  'norwegian krone': 'NOK',
  'danish krone': 'DKK',
  zloty: 'PLN',
  koruna: 'CZK',
  forint: 'HUF',
  'indian rupee': 'INR',
  rupee: 'INR',
  won: 'KRW',
  'mexican peso': 'MXN',
  peso: 'MXN',
  real: 'BRL',
  ruble: 'RUB',
  lira: 'TRY',
  rand: 'ZAR',
  shekel: 'ILS',
  bitcoin: 'BTC',
}

/** Currency codes that are recognised in a text. */
export const currencyCodes: ReadonlySet<string> = new Set([
  ...Object.values(currencies),
  'NZD',
  'SGD',
  'HKD',
  'THB',
  'IDR',
  'MYR',
  'PHP',
  'AED',
  'SAR',
  'EGP',
  'UAH',
  'RON',
  'BGN',
  'ISK',
])

/** Whether a word or a sign names a currency. */
export function isCurrency(word: string): boolean {
  return currencyCodes.has(word) || Object.hasOwn(currencies, word.toLowerCase().replace(/s$/, ''))
}

const countries = new Map<string, string>()

/** Returns the ISO 3166 code of a country by its English name, or undefined. */
export function countryCode(name: string): string | undefined {
  if (countries.size === 0) {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    for (const code of letters.flatMap((one) => letters.map((other) => one + other)))
      if (new Intl.Locale(`und-${code}`).region === code)
        countries.set(names.of(code)?.toLowerCase() ?? code, code)
    for (const [other, code] of [
      ['uk', 'GB'],
      ['usa', 'US'],
      ['great britain', 'GB'],
      ['czech republic', 'CZ'],
      ['turkey', 'TR'],
      ['holland', 'NL'],
    ] as const)
      countries.set(other, code)
  }
  return countries.get(name.toLowerCase())
}

/** Returns other spellings of an enum value: `kilometres` for `km`, `euros` for `EUR`. */
export function aliasesOf(value: string): readonly string[] {
  const own = stem(value)
  return groups.get(own)?.filter((word) => word !== own) ?? []
}

/**
 * Whether a spelling is so short that it means a unit only next to a number or after "to": `C`, `in`, `m`.
 */
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

// When two groups share a spelling, such as "pound", each value keeps its own.
function add(words: readonly string[]): void {
  const stems = words.map(stem)
  for (const word of stems) groups.set(word, [...new Set([...(groups.get(word) ?? []), ...stems])])
}
