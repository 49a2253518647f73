import { findDates, findDurations, findTimes, renderDate } from './dates.js'
import { type FoundNumber, findNumbers, findSizes } from './numbers.js'
import { type Found, findQuotes, maskQuotes } from './spans.js'
import { findPhrases, isOrdinary, toConcept, toConcepts } from './words.js'

/** A clause and all possible arguments in it, each with its place. */
export interface Reading {
  readonly text: string
  /** The text with masked quotations. Positions are unchanged. */
  readonly masked: string
  /** The current day, `YYYY-MM-DD`. */
  readonly today: string
  /** The concepts of the clause. */
  readonly concepts: ReadonlySet<string>
  /** Phrases of several words that act as one, by the start of their first: "call it off". */
  readonly phrases: ReadonlyMap<number, string>
  /** Its words and signs, in lower case. */
  readonly words: readonly Found<string>[]
  readonly quotes: readonly Found<string>[]
  readonly numbers: readonly FoundNumber[]
  readonly dates: readonly Found<string>[]
  readonly times: readonly Found<string>[]
  /** In seconds. */
  readonly durations: readonly Found<number>[]
  readonly emails: readonly Found<string>[]
  readonly urls: readonly Found<string>[]
  /** Codes such as `A-1042`, `#77` or `ORD9`. */
  readonly codes: readonly Found<string>[]
  /** `512x512`, also written `512 x 512` */
  readonly sizes: readonly Found<string>[]
  /** Artifact ids such as `img_ab12cd34`. */
  readonly artifacts: readonly Found<string>[]
  /** `notes.txt`, `src/index.ts`, `owner/name` */
  readonly files: readonly Found<string>[]
  readonly phones: readonly Found<string>[]
  /** Words next to spaces that contain a digit, or begin with # or @: `A1-04`, `2026/17`, `#crew`. */
  readonly tokens: readonly Found<string>[]
  /** Sequences of capitalised words. */
  readonly names: readonly Found<string>[]
  /** Words in capitals, such as stock symbols and currency codes. */
  readonly symbols: readonly Found<string>[]
}

/** Finds all possible arguments in one clause. A plan reads the same clause several times: it is read once. */
export function readClause(text: string, now: Date): Reading {
  const known = readingsAt(now)
  const reading = known.get(text) ?? read(text, now)
  known.set(text, reading)
  return reading
}

// By the clock of the request, so that they are forgotten with it.
const readingsAt = onceFor((_: Date) => new Map<string, Reading>())

/** Computes a value once for each key, and forgets it with the key. */
export function onceFor<Key extends WeakKey, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const before = known.get(key)
    if (before) return before.value
    const value = compute(key)
    known.set(key, { value })
    return value
  }
}

function read(text: string, now: Date): Reading {
  const masked = maskQuotes(text)
  const near = masked.slice(0, glance)
  const find = (pattern: RegExp) => findAll(near, pattern)
  const first = <T>(found: readonly T[]) => found.slice(0, mostFindings)
  const words = findAll(
    near,
    /°?[\p{L}+#][\p{L}\p{N}+#/]*(?:['’]\p{L}{1,2}(?!\p{L}))?|[$€£¥]/gu,
    mostWords,
  ).map(toLower)
  const phrases = findPhrases(words)
  const heads = new Set(
    [...phrases.keys()].map((at) => toConcept(words.find(({ start }) => start === at)?.value ?? '')),
  )
  return {
    text,
    masked,
    today: renderDate(now),
    concepts: new Set([...[...toConcepts(near)].filter((one) => !heads.has(one)), ...phrases.values()]),
    phrases,
    words,
    quotes: findQuotes(text),
    numbers: first(findNumbers(near).filter(({ value }) => Number.isFinite(value))),
    // A title: "play Yesterday".
    dates: first(
      findDates(near, now).filter(
        ({ start, end }) => start === 0 || !/^(?:Yesterday|Today|Tomorrow)$/.test(near.slice(start, end)),
      ),
    ),
    times: first(findTimes(near)),
    durations: first(findDurations(near)),
    emails: find(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g),
    urls: find(/\b(?:https?|ftp):\/\/[^\s,)]*[^\s,.;:!?)]/g),
    codes: find(
      /(?<![\w@./:#-])#?(?:[A-Z]{0,20}-?|[a-z]{1,10}[-_])\d[\w-]{0,60}(?![\w-]|\.\d|[\w.]{0,60}[@/])/g,
    ),
    sizes: first(findSizes(near)),
    artifacts: find(artifactId),
    files: find(
      /(?<![\w@/:.~-])(?:(?:[\w~.-]{0,100}\/){1,30}[\w.-]{0,100}\w|[\w-]{1,100}\.[a-z]{2,4}\b(?!\.\w))/g,
    ),
    phones: find(/(?<![\w.-])\+?\d[\d ()-]{6,}\d(?![\w.-])/g),
    tokens: find(
      /(?<![^\s("',:])(?:[A-Z]{1,3}-[A-Z]{1,2} \d{1,4}[A-Z]?(?![\w-])|[#@][\w-]{2,60}|[\w./#:+-]{0,60}\d[\w./#:+-]{0,60})/g,
    ).map(withoutStop),
    names: first(findNames(near)),
    symbols: find(/\b[A-Z]{2,5}\b/g),
  }
}

/** Whether two spans have a word in common. */
export function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end
}

/** Whether one span lies within another. */
export function isWithin(inner: Span, outer: Span): boolean {
  return inner.start >= outer.start && inner.end <= outer.end
}

/** Whether a number is independent, not part of a date, time, size, address or id. */
export function isIndependentNumber(span: Span, reading: Reading): boolean {
  const wholes = [
    reading.dates,
    reading.times,
    reading.sizes,
    reading.emails,
    reading.urls,
    reading.artifacts,
    reading.names,
  ]
  return !wholes.some((found) => found.some((whole) => isWithin(span, whole)))
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** The pattern of artifact ids in a text. */
export const artifactId = /\b(?:img|aud|txt|file)_[a-z0-9]{6,}\b/g

// These limit the work of a long or hostile clause, where each match is compared with each parameter. The
// limit is in characters: later text can only become part of a text argument.
const glance = 4000
const mostFindings = 60
const mostWords = 1000

function withoutStop({ value, start }: Found<string>): Found<string> {
  const plain = value.replace(/[.:/,+-]+$/, '')
  return { value: plain, start, end: start + plain.length }
}

function toLower({ value, ...place }: Found<string>): Found<string> {
  return { value: value.toLowerCase(), ...place }
}

function findAll(text: string, pattern: RegExp, most = mostFindings): Found<string>[] {
  return [...text.matchAll(pattern)].slice(0, most).map((match) => ({
    value: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/**
 * Finds the proper names of a text: sequences of capitalised words. A single word at the start of a sentence
 * is not a name.
 */
function findNames(text: string): Found<string>[] {
  return [...text.matchAll(run)].flatMap((match) => {
    const words = match[0].split(/\s+/)
    const atStart = /^\W*$/.test(text.slice(0, match.index)) || /[.:!?]\s*$/.test(text.slice(0, match.index))
    const first = words[0] ?? ''
    const isSubject =
      subject.test(text.slice(match.index + match[0].length)) && !isOrdinary(first.toLowerCase())
    const isOne =
      words.length === 1 &&
      !isSubject &&
      !listGoesOn.test(text.slice(match.index + first.length, match.index + 200))
    const skipped = atStart && (isOne || isOrdinary(first.toLowerCase())) ? `${first} ` : ''
    const plain = match[0].slice(skipped.length)
    const [house = ''] = street.test(plain)
      ? (/\d{1,5}[a-z]?\s+$/.exec(text.slice(0, match.index)) ?? [])
      : []
    const value = house + plain
    const isCode = /^-?\d/.test(text.slice(match.index + match[0].length))
    if (value.length < 2 || isCode || (words.length === 1 && neverNames.test(value))) return []
    return [{ value, start: match.index + skipped.length - house.length, end: match.index + match[0].length }]
  })
}

const capital = "\\p{Lu}[\\p{L}'’.-]*\\p{L}|\\p{Lu}(?=\\s)"
const titles = '(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\\.?\\s+)?'
const run = new RegExp(
  `(?<![\\p{L}\\p{N}@/.#_])${titles}(?:${capital})(?:\\s+(?:(?:de|da|del|la|le|van|von|of|the|upon)\\s+){0,2}(?:${capital}))*(?:,\\s(?!OK)\\p{Lu}{2}(?!\\p{L}|,))?`,
  'gu',
)
const neverNames =
  /^(?:I|OK|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)$/

const street =
  /(?:stra(?:ss|ß)e|weg|gasse|platz|allee)$|^(?:Rue|Via|Calle)\s|\s(?:View|Hill|Court|Close|Terrace|Gardens|Row|Park|Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Way|Square|Boulevard|Place)\.?$/

// "Bella got her vaccine", "Jonas takes vacation".
const subject =
  /^\s+(?:got|gets|has|had|was|is|needs?|wants?|takes|took|will|received|should|would|arrived|left)\b/

// "Ann and Bob", "Paris, Rome": the first word of a list of names is a name.
const listGoesOn = /^(?:,\s*|\s+(?:and|or)\s+)\p{Lu}\p{L}/u
