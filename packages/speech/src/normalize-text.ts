import { toCardinal, toDigits, toNumber, toOrdinal, toRoman, toYear } from './number-words.js'

/**
 * The order of dates with slashes: `en-US` reads 3/4/2026 as the fourth of March, and `en-GB` as the third of April.
 */
export type Locale = 'en-US' | 'en-GB'

/**
 * Writes out text that is not read as it is spelled: addresses, dates, times, money, units, numbers, codes,
 * abbreviations and Roman numerals. Does not change other text.
 */
export function normalizeText(text: string, locale: Locale = 'en-US'): string {
  // Most text contains none of these.
  const isMarked = /[\d½¼¾⅓⅔€£¥₹$@&%°#+=/]|\bwww|\b[IVX]+\b|\w\.\w|\w\. ?[a-z]/.test(text)
  if (!isMarked) return text
  const plain = text
    .replace(/[\u00a0\u202f\u2009]/g, ' ')
    .replace(/−(?=\d)/g, '-')
    .replace(/(?:(\d) ?)?([½¼¾⅓⅔])/g, toFraction)
  return rules.reduce((words, [pattern, write]) => words.replace(pattern, bind(write, locale)), plain)
}

function toFraction(_: string, whole: string | undefined, sign: string): string {
  const fraction = sign.normalize('NFKD').replace('⁄', '/')
  return whole === undefined ? fraction : `${whole} ${fraction}`
}

type Write = (match: readonly string[], locale: Locale) => string
type Rule = readonly [RegExp, Write]

function bind(write: Write, locale: Locale) {
  return (...match: unknown[]) =>
    write(
      match.map((one) => (typeof one === 'string' ? one : '')),
      locale,
    )
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const month =
  '(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)'
const day = '(0?[1-9]|[12]\\d|3[01])(?:st|nd|rd|th)?'
const number = '(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?'

/** The singular and plural of each unit that can follow a number. */
const units: Readonly<Record<string, readonly [string, string]>> = {
  km: ['kilometer', 'kilometers'],
  cm: ['centimeter', 'centimeters'],
  mm: ['millimeter', 'millimeters'],
  m: ['meter', 'meters'],
  mi: ['mile', 'miles'],
  ft: ['foot', 'feet'],
  kg: ['kilogram', 'kilograms'],
  mg: ['milligram', 'milligrams'],
  g: ['gram', 'grams'],
  lb: ['pound', 'pounds'],
  lbs: ['pound', 'pounds'],
  oz: ['ounce', 'ounces'],
  l: ['liter', 'liters'],
  L: ['liter', 'liters'],
  ml: ['milliliter', 'milliliters'],
  mL: ['milliliter', 'milliliters'],
  h: ['hour', 'hours'],
  hr: ['hour', 'hours'],
  hrs: ['hour', 'hours'],
  min: ['minute', 'minutes'],
  mins: ['minute', 'minutes'],
  s: ['second', 'seconds'],
  sec: ['second', 'seconds'],
  ms: ['millisecond', 'milliseconds'],
  kW: ['kilowatt', 'kilowatts'],
  kWh: ['kilowatt hour', 'kilowatt hours'],
  W: ['watt', 'watts'],
  V: ['volt', 'volts'],
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  KB: ['kilobyte', 'kilobytes'],
  kB: ['kilobyte', 'kilobytes'],
  MB: ['megabyte', 'megabytes'],
  GB: ['gigabyte', 'gigabytes'],
  TB: ['terabyte', 'terabytes'],
  mph: ['mile per hour', 'miles per hour'],
  'km/h': ['kilometer per hour', 'kilometers per hour'],
  kmh: ['kilometer per hour', 'kilometers per hour'],
  'm/s': ['meter per second', 'meters per second'],
  m2: ['square meter', 'square meters'],
  'm²': ['square meter', 'square meters'],
  km2: ['square kilometer', 'square kilometers'],
  'km²': ['square kilometer', 'square kilometers'],
  'm³': ['cubic meter', 'cubic meters'],
  '°C': ['degree Celsius', 'degrees Celsius'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  '°': ['degree', 'degrees'],
  '%': ['percent', 'percent'],
}

interface Currency {
  readonly one: string
  readonly many: string
  /** The singular and plural name of a hundredth of the unit. Undefined if there is none. */
  readonly part?: readonly [string, string]
}

const dollar: Currency = { one: 'dollar', many: 'dollars', part: ['cent', 'cents'] }
const euro: Currency = { one: 'euro', many: 'euros', part: ['cent', 'cents'] }
const pound: Currency = { one: 'pound', many: 'pounds', part: ['penny', 'pence'] }
const yen: Currency = { one: 'yen', many: 'yen' }
const currencies: Readonly<Record<string, Currency>> = {
  $: dollar,
  '€': euro,
  '£': pound,
  '¥': yen,
  '₹': { one: 'rupee', many: 'rupees', part: ['paisa', 'paise'] },
  USD: { ...dollar, one: 'U S dollar', many: 'U S dollars' },
  EUR: euro,
  GBP: pound,
  JPY: yen,
  CHF: { one: 'Swiss franc', many: 'Swiss francs', part: ['centime', 'centimes'] },
}
const sign = '[$€£¥₹]'
const code = '(?:USD|EUR|GBP|JPY|CHF)'
const scales: Readonly<Record<string, string>> = { k: 'thousand', m: 'million', bn: 'billion', b: 'billion' }
const scale = '(?:(k|m|bn|b)\\b| (thousand|million|billion|trillion)\\b)?'

const abbreviations: Readonly<Record<string, string>> = {
  'e.g.': 'for example',
  'i.e.': 'that is',
  'etc.': 'et cetera',
  'vs.': 'versus',
  'approx.': 'approximately',
  'Ave.': 'Avenue',
  'Rd.': 'Road',
  'Blvd.': 'Boulevard',
  'Ltd.': 'Limited',
  'Inc.': 'Incorporated',
  'Co.': 'Company',
  'Dept.': 'Department',
  'dept.': 'department',
  'max.': 'maximum',
  'tel.': 'telephone',
  'Tel.': 'Telephone',
}

/** Rules, in order. Later rules ignore words that earlier rules have written. */
const rules: readonly Rule[] = [
  [/(?<![\w@.])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g, ([address = '']) => spellAddress(address)],
  [
    /(?<![\w@.])(?:https?:\/\/|www\.)[\w.-]{1,200}(?::\d{1,5})?(?:\/[\w./%~-]{0,200})?/gi,
    ([address = '']) => spellWebAddress(address),
  ],
  [
    /(?<!\w)[a-z0-9][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,4}\.(?:com|org|net|io|dev|edu|gov|co\.uk|de|fr)(?:\/[\w./%~-]{0,200})?(?![\w])/gi,
    ([address = '']) => spellWebAddress(address),
  ],
  // Dates.
  [
    /(?<![\w-])(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ](?=\d\d:\d\d)|(?![\w-]))/g,
    ([whole, y = '', m = '', d = '']) => `${dateOf(y, m, d)}${/[T ]$/.test(whole ?? '') ? ' at ' : ''}`,
  ],
  [/(?<![\w/])(\d{1,2})[/.](\d{1,2})[/.]((?:19|20)\d\d)(?![\w/])/g, slashedDate],
  [
    new RegExp(`\\b${day} ${month}\\.?(?:,? ((?:1[0-9]|20)\\d\\d))?(?![\\w])`, 'g'),
    ([, d = '', m = '', y = '']) => `the ${toOrdinal(d)} of ${monthOf(m)}${y && ` ${toYear(y)}`}`,
  ],
  [
    new RegExp(`\\b${month}\\.? ${day}(?:,? ((?:1[0-9]|20)\\d\\d))?(?![\\w:])`, 'g'),
    ([, m = '', d = '', y = '']) => `${monthOf(m)} ${toOrdinal(d)}${y && `, ${toYear(y)}`}`,
  ],
  [
    new RegExp(`\\b${month}\\.? ((?:1[0-9]|20)\\d\\d)(?![\\w])`, 'g'),
    ([, m = '', y = '']) => `${monthOf(m)} ${toYear(y)}`,
  ],
  // Times.
  [
    /(?<![\w:.])([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(Z\b)?(?: ?([APap])\.?[Mm]\b(?:\.(?=\s+[a-z\d]|,))?)?(?![\w:])/g,
    ([, hours = '', minutes = '', seconds = '', zone = '', half = '']) =>
      [timeOf(hours, minutes, half !== ''), ...secondsOf(seconds), zone && 'U T C', half && halfOf(half)]
        .filter(Boolean)
        .join(' '),
  ],
  [
    /(?<![\w.,:])(1[0-2]|0?[1-9]) ?([APap])\.?[Mm]\b(?:\.(?=\s+[a-z\d]|,))?/g,
    ([, hours = '', half = '']) => `${toCardinal(hours)} ${halfOf(half)}`,
  ],
  // Money.
  [
    new RegExp(`(?<!\\w)(${sign})(${number})[-–](?:${sign})?(${number})(?![\\w-])`, 'g'),
    ([, unit = '', from = '', to = '']) => `${toNumber(from)} to ${money(unit, [to])}`,
  ],
  [
    new RegExp(`(?<!\\w)(-?)(${sign})(${number})${scale}`, 'g'),
    ([, minus, unit, ...rest]) => money(unit, rest, minus),
  ],
  [
    new RegExp(`(?<![\\w.,])()(${code}) (${number})${scale}`, 'g'),
    ([, minus, unit, ...rest]) => money(unit, rest, minus),
  ],
  [
    new RegExp(`(?<![\\w.,])(${number})${scale} ?(${sign}|${code}\\b)`, 'g'),
    ([, amount, short, long, unit]) => money(unit, [amount, short, long].map(String)),
  ],
  // Telephone numbers and long sequences of digits.
  [/(?<![\w.])\+\d{1,3}(?:[ -]?\(?\d{1,5}\)?){2,6}(?![\w])/g, ([digits = '']) => telephone(digits)],
  [
    /(?<!\w)\(\d{3}\) ?\d{3}-\d{4}\b|(?<![\w-])(?:\d{3}-)?\d{3}-\d{4}(?![\w-])/g,
    ([digits = '']) => telephone(digits),
  ],
  [/(?<!\w)24\/7(?!\w)/g, () => 'twenty four seven'],
  [/(?<![\w.:])(\d{1,3}):(?=\d{1,3}(?![\w:]))/g, ([, digits = '']) => `${toCardinal(digits)} to `],
  [/\b((?:1[1-9]|20)\d0)s\b/g, ([, digits = '']) => decade(digits)],
  // Ranges, before their numbers become words.
  [
    new RegExp(`(?<![\\w.,-])(${number}) ?[-–] ?(?=${number}(?![\\w-]*-\\d))`, 'g'),
    ([, from = '']) => `${from} to `,
  ],
  [/(?<=\b[AP] M) ?[-–] ?(?=\w)/g, () => ' to '],
  // Codes, which consist of letters and digits.
  [
    /(?<![\w-])(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*\d)[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\w-])/g,
    ([text = '']) => spellCode(text),
  ],
  // Numbers, with or without a unit.
  [
    new RegExp(
      `(?<![\\w.,])(-?)(${number}) ?(${Object.keys(units)
        .sort((a, b) => b.length - a.length)
        .join('|')})(?![\\w/])`,
      'g',
    ),
    ([, minus = '', amount = '', unit = '']) =>
      `${toNumber(minus + amount)} ${units[unit]?.[amount === '1' && minus === '' ? 0 : 1]}`,
  ],
  [/(?<![\w.])\d{1,4}(?:\.\d{1,4}){2,4}(?![\w.]\w)/g, ([digits = '']) => dotted(digits)],
  [/(?:(?<!\w)No\. ?|#)(?=\d)/g, () => 'number '],
  [/\b(\d{1,12})(?:st|nd|rd|th)\b/g, ([, digits = '']) => toOrdinal(digits)],
  [/(?<![\w.,/])(\d{1,5}) ?[x×] ?(?=\d)/g, ([, digits = '']) => `${toCardinal(digits)} by `],
  [/(?<![\w.,/])(?:(\d{1,3}) )?([1-9])\/([2-9])(?![\w/])/g, fraction],
  [/(?<![\w.,])((?:1[1-9]|20)\d\d)(?![\w]|[.,]\d)/g, ([, digits = '']) => toYear(digits)],
  [
    new RegExp(`(?<![\\w.,])([-+]?)(${number})(?!\\w|[.,]\\d)`, 'g'),
    ([, minus = '', digits = '']) => bareNumber(minus, digits),
  ],
  // Words.
  [
    /\b(Chapter|Part|Volume|Act|Scene|Section|Phase|Type|War|Level|Appendix|Book|Article|Class|Figure|Table|Unit) ([IVX]{1,6})\b/g,
    ([, name = '', roman = '']) => `${name} ${toCardinal(String(toRoman(roman) ?? 0))}`,
  ],
  [
    /\b([A-Z][a-z]{2,}) ([IVX]{2,6}|V)\b(?!\.\w)/g,
    ([whole = '', name = '', roman = '']) => {
      const value = toRoman(roman)
      return value === undefined ? whole : `${name} the ${toOrdinal(String(value))}`
    },
  ],
  [
    new RegExp(
      `(?<![\\w.])(${Object.keys(abbreviations)
        .map((one) => one.slice(0, -1).replaceAll('.', '\\.'))
        .join('|')})\\.(?!\\w)(?=(\\s*$|\\s+[A-Z])?)`,
      'g',
    ),
    // The full stop of an abbreviation may also end the sentence.
    ([, short = '', end = '']) => `${abbreviations[`${short}.`]}${end !== '' && short === 'etc' ? '.' : ''}`,
  ],
  [/ ?& ?/g, () => ' and '],
  [/ = /g, () => ' equals '],
  [/ \+ /g, () => ' plus '],
]

function monthOf(text: string): string {
  return months.find((name) => name.startsWith(text.slice(0, 3))) ?? text
}

function dateOf(y: string, m: string, d: string): string {
  return `${months[Number(m) - 1]} ${toOrdinal(d)}, ${toYear(y)}`
}

function slashedDate(
  [whole = '', first = '', second = '', y = '']: readonly string[],
  locale: Locale,
): string {
  const isDayFirst = whole.includes('.') || locale === 'en-GB'
  const [d, m] =
    (isDayFirst && Number(second) <= 12) || Number(first) > 12 ? [first, second] : [second, first]
  return Number(m) >= 1 && Number(m) <= 12 && Number(d) >= 1 && Number(d) <= 31 ? dateOf(y, m, d) : whole
}

/** Writes the letter as a capital, because a lower-case "a" would be read as the article. */
function halfOf(letter: string): string {
  return `${letter.toUpperCase()} M`
}

function timeOf(hours: string, minutes: string, isHalfDay: boolean): string {
  const hour = toCardinal(hours)
  if (minutes === '00')
    return isHalfDay
      ? hour
      : Number(hours) >= 1 && Number(hours) <= 12
        ? `${hour} o'clock`
        : `${hour} hundred`
  return `${hour} ${minutes.startsWith('0') ? `oh ${toCardinal(minutes)}` : toCardinal(minutes)}`
}

function secondsOf(seconds: string): string[] {
  return seconds === '' ? [] : ['and', toCardinal(seconds), seconds === '01' ? 'second' : 'seconds']
}

function money(unit = '', [amount = '', short = '', long = '']: readonly string[], minus = ''): string {
  const { one, many, part } = currencies[unit] ?? { one: unit, many: unit }
  const size = scales[short] ?? long
  const signed = minus === '' ? '' : 'minus '
  if (size !== '') return `${signed}${toNumber(amount)} ${size} ${many}`
  const [whole = '', decimals = ''] = amount.split('.')
  if (decimals !== '' && (decimals.length !== 2 || !part)) return `${signed}${toNumber(amount)} ${many}`
  const cents = Number(decimals)
  const words = cents === 0 ? [] : [`${toCardinal(decimals)} ${part?.[cents === 1 ? 0 : 1]}`]
  if (/[1-9]/.test(whole) || cents === 0) words.unshift(`${toNumber(whole)} ${whole === '1' ? one : many}`)
  return signed + words.join(' and ')
}

/** Reads digits one by one, with a pause between groups. */
function telephone(text: string): string {
  const parts = text.split(/[ ()-]+/).filter((group) => group !== '')
  return parts
    .map((group) => `${group.startsWith('+') ? 'plus ' : ''}${toDigits(group.replace('+', ''))}`)
    .join(', ')
}

function spellCode(text: string): string {
  const parts = text.match(/[A-Z]+|\d+/g) ?? []
  // The voice can pronounce words such as COVID or ISO itself.
  return parts
    .map((one) => {
      if (/\d/.test(one)) return one.length <= 2 && !one.startsWith('0') ? toCardinal(one) : toDigits(one)
      return one.length >= 4 ? one : [...one].join(' ')
    })
    .join(' ')
}

function spellWebAddress(address: string): string {
  const trimmed = address.replace(/[./]+$/, '')
  const end = address.slice(trimmed.length).replaceAll('/', '')
  return spellAddress(trimmed.replace(/^https?:\/\//i, '')) + end
}

const spelledSigns: Readonly<Record<string, string>> = {
  '@': 'at',
  '.': 'dot',
  '-': 'dash',
  _: 'underscore',
  '/': 'slash',
  ':': 'colon',
  '+': 'plus',
  '%': 'percent',
  '~': 'tilde',
}

function spellAddress(address: string): string {
  const parts = address.match(/[a-z]+|\d+|[^a-z\d]/gi) ?? []
  return parts
    .map((one) => {
      if (/^\d/.test(one)) return one.length <= 2 ? toCardinal(one) : toDigits(one)
      if (/^www$/i.test(one)) return 'w w w'
      return spelledSigns[one] ?? one
    })
    .join(' ')
}

function fraction([whole = '', count = '', top = '', bottom = '']: readonly string[]): string {
  if (Number(top) >= Number(bottom)) return whole
  const part = bottom === '2' ? 'half' : bottom === '4' ? 'quarter' : toOrdinal(bottom)
  const words = top === '1' ? (count === '' ? `one ${part}` : `a ${part}`) : `${toCardinal(top)} ${part}s`
  return count === '' ? words : `${toCardinal(count)} and ${words}`
}

/** Writes a decade: `nineteen nineties`. */
function decade(digits: string): string {
  const words = toYear(digits)
  return words.endsWith('y') ? `${words.slice(0, -1)}ies` : `${words}s`
}

/** Reads a software version or an IP address. */
function dotted(digits: string): string {
  const parts = digits.split('.')
  return parts.map(toCardinal).join(parts.length === 4 ? ' dot ' : ' point ')
}

function bareNumber(minus: string, digits: string): string {
  const isRow = !/[.,]/.test(digits) && (digits.length >= 7 || (digits.length > 1 && digits.startsWith('0')))
  if (isRow) return `${minus === '-' ? 'minus ' : ''}${toDigits(digits)}`
  return toNumber(minus + digits)
}
