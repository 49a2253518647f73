import { findDates, findDurations, findTimes, renderDate } from './dates.js'
import { findArithmetic, findNumbers, findSizes } from './numbers.js'
import {
  actionsOf,
  type Found,
  findAll,
  findPhrases,
  findQuotes,
  isCommand,
  isOrdinary,
  isUnforeseenCommand,
  maskQuotes,
  ownCorrection,
  quoteMark,
  toConcept,
  toConcepts,
  withPhrases,
} from './words.js'

/** One action that the user requests. */
export interface Clause {
  readonly text: string
  /** The index of the clause that this one follows, if "then" connects the two. */
  readonly after?: number | undefined
}

/** Whether a clause says what not to do. */
export function isRefusal(text: string): boolean {
  return /^(?:(?:don['’]?t|do not|never|without)\b|no (?!(?:wait|sorry|actually|make|it|i|we|the|that)\b)[a-z])/i.test(
    text,
  )
}

/** The words of the offered tools that mark the start of a clause. */
export interface Vocabulary {
  /** First words of tool names, such as "archive". */
  readonly verbs: ReadonlySet<string>
  /** Concepts of the tools' subjects, such as "weather". */
  readonly nouns: ReadonlySet<string>
}

/** Splits a request at the end of sentences, at "then" and before a command. Quotations stay intact. */
export function toClauses(request: string, vocabulary: Vocabulary): Clause[] {
  const clauses: Clause[] = []
  for (const sentence of toSentences(request)) {
    let after: number | undefined
    for (const { text, isSequel } of toParts(sentence, vocabulary).flatMap(toGapped)) {
      if (ability.test(text.replace(/^[\s,]+|[\s,.!?]+$/g, ''))) continue
      const plain = text
        .replace(bullet, '')
        .replace(courtesy, '')
        .replace(/^(?:[\s,:;]|-(?!\d))+|[\s,;:.!?]+$/g, '')
      const isNumber = /^\W*\d[\d.,]*\W*$/.test(plain) && sentence === request
      if (!(isNumber || /\p{L}|\d\D/u.test(plain))) continue
      if (isSequel && clauses.length > 0) after = clauses.length - 1
      const last = clauses.at(-1)
      const sum = last && operation.test(plain) ? findArithmetic(last.text) : undefined
      if (last && sum) clauses[clauses.length - 1] = { ...last, text: `(${sum.expression}) ${plain}` }
      else if (last && amendment.test(plain))
        clauses[clauses.length - 1] = { ...last, text: `${last.text}. ${plain}` }
      else clauses.push({ text: plain, after })
    }
  }
  return clauses
}

const bullet = /^\s*(?:[-*•]|\d+[.)])\s+/
const courtesy =
  /^(?:(?:please|kindly|now|first(?:ly)?|also|and|but|so|ok|okay|hey|hi|hello|(?:could|can|would|will) you|i(?:'d| would) like (?:you )?to|i want (?:you )?to|i need (?:you )?to|let's(?! (?:say|assume|imagine|suppose)\b))\b[\s,]*)+/i
// "Can you draw?", "Do you speak French?": questions about abilities, not requests.
const ability =
  /^(?:(?:can|could|do|will) you (?:also )?\w+(?: (?:french|german|spanish|english|italian|[a-z]+ese|russian|polish|images?|pictures?|audio|emails?))?|(?:are|were) you (?:able|allowed) to\b.*)$/i
// "It should be blue": adds to the previous clause.
const amendment = /^(?:it|they) (?:should|must|needs? to|has to|have to)\b/i
// "And then times 3": continues the previous sum.
const operation = /^(?:plus|minus|times|divided by|multiplied by) -?\d/i
// Also "1." at the beginning of a line.
const abbreviation = /\b(?:dr|mr|mrs|ms|st|vs|approx|e\.g|i\.e)$|(?:^|\n)\s*\d+$/i

function toSentences(request: string): string[] {
  const masked = maskQuotes(request)
  const cuts = [...masked.matchAll(/[.!?;]+(?=\s|$)|\n+/g)]
    .filter((match) => match[0] !== '.' || !abbreviation.test(masked.slice(0, match.index)))
    .filter((match) => masked[match.index - 1] !== ':' || masked[match.index + match[0].length] !== quoteMark)
    .map((match) => match.index + match[0].length)
  return cut(request, cuts)
}

/** "What if I cancel 7 and refund 8?", "Suppose I sold it", "I might sell it": a sentence that only imagines something. */
export const hypothetical =
  /^(?:(?:(?:tell|show) me |(?:i|we) wonder |do you know )?what (?:if|(?:would|will|might|could) (?:happen|change|it)|happens (?:if|when))|how (?:about|would it)|suppos(?:e|ing)|hypothetically|(?:let['’]?s )?(?:imagine|assume|assuming|suppose|say)(?= (?:that|if|i|we|you|he|she|they|the|my|our) (?!['’]))|if (?:i|we|you|they|he|she) (?:were|had|did)|would (?:it|that|anything|there)|(?:maybe |perhaps )?(?:i|we) (?:could|might|may)|(?:i|we)(?:['’]m| am| was|['’]re| are| were) (?:thinking|considering))\b/iu

function toParts(sentence: string, vocabulary: Vocabulary): Part[] {
  if (hypothetical.test(sentence.replace(opening, '').replace(courtesy, '')))
    return [{ text: sentence, isSequel: false }]
  const masked = maskQuotes(sentence)
  const joints = [...masked.matchAll(joint)].filter((match) => {
    const from = match.index + match[0].length
    const rest = masked.slice(from, from + peek)
    const before = masked.slice(Math.max(0, match.index - peek), match.index)
    // "Add 4, no, make it 6": the words of a correction stay together.
    // "Squash and merge request 4": one verb does not stand alone.
    if (/,\s*(?:no|oops|wait|sorry|actually)$|^\W*\p{L}+$/iu.test(before)) return false
    if (sequel.test(match[0]) || isCommand(rest, vocabulary.verbs)) return true
    // "5 miles in km" starts a new request, unless it shares the previous verb.
    const isConversion = conversion.test(rest) && !measure.test(before.trimEnd())
    if (isUnforeseenCommand(rest, before) || isConversion) return true
    if (ownCorrection.test(rest)) return true
    if (!/\b(?:and|but)\b/i.test(match[0]))
      return /^(?:what|how|(?:where|when) (?:is|are|was|do|does|did))\b/i.test(rest)
    return question.test(rest) || isNextTopic(rest, before, vocabulary)
  })
  const ends = joints.map((match) => match.index)
  return cut(sentence, ends).map((part) => {
    const [lead = ''] = opening.exec(part) ?? []
    return { text: part.slice(lead.length), isSequel: sequel.test(lead) }
  })
}

// The number of characters that show how a clause starts. Limits the work that a hostile request causes.
const peek = 200

// "What is the weather in Paris, and the time in Tokyo": questions for two tools.
function isNextTopic(rest: string, before: string, { nouns }: Vocabulary): boolean {
  const [, noun = ''] = /^(?:the|my)\s+(\p{L}+)/u.exec(rest) ?? []
  const next = toConcept(noun)
  const [verb = ''] = /\p{L}+/u.exec(before) ?? []
  const asked = toConcepts(before)
  return (
    !asked.has(next) &&
    [...asked].some((concept) => nouns.has(concept)) &&
    (nouns.has(next) || namedTopic.test(rest)) &&
    (actionsOf(verb).has('read') || nouns.has(toConcept(verb)))
  )
}

const namedTopic = /^(?:the|my)\s+\p{L}+\s+(?:in|at|of|for)\s+\p{Lu}/u

// A possible start of a clause, with its conjunction.
const joint =
  /[,;]\s+so\s+|[,;]?\s+(?:(?:and|but)\s+)?(?:also\s+)?(?:then|after that|afterwards|finally)\b[\s,]*|[,;]?\s+(?:and|but)\s+(?:also\s+)?|[,;]\s+(?:also\s+)?/gi
const opening =
  /^[\s,;]*(?:(?:and|but|so)\b\s*)?(?:also\b\s*)?(?:(?:then|after that|afterwards|finally|next)\b[\s,]*)?/i
const sequel = /\b(?:then|after that|afterwards|finally|next)\b/i
const question = /^(?:what|what's|how|who|who's|when|where|which|is it|is there|are there)\b/i

function cut(text: string, at: readonly number[]): string[] {
  return [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end))
}

interface Part {
  readonly text: string
  readonly isSequel: boolean
}

/** Splits "Convert 12 inches to cm and 3 feet to m" and "What is 3 + 4 and 5 * 6" at each measure. */
function toGapped(part: Part): Part[] {
  const halves = part.text.split(gap)
  const isGapped = halves.every((half) => measure.test(half))
  return isGapped ? halves.map((text) => ({ ...part, text })) : [part]
}

const conversion = /^-?\d[\d.,]*\s?°?\p{L}+ (?:to|into|in) °?\p{L}+\W*$/u

const gap = /,?\s+and\s+(?=\d)|,\s+(?=\d)/
const measure =
  /^(?:\D{0,40}\s)?-?\d[\d.,]*\s?(?:°?\p{L}+ (?:to|into|in) °?\p{L}+|(?:plus|minus|times|over|divided by|multiplied by|[-+*/x×÷]) \d[\d.,]*|%|percent of \d[\d.,]*)\W*$/u

/** A clause and all possible arguments in it, each with its position. */
export type Reading = Readonly<ReturnType<typeof read>>

/** Finds all possible arguments in a clause. Cached, because a plan reads the same clause several times. */
export function readClause(text: string, now: Date): Reading {
  const known = readingsAt(now)
  const reading = known.get(text) ?? read(text, now)
  known.set(text, reading)
  return reading
}

// By the request's clock, so that they are dropped together with it.
const readingsAt = onceFor((_: Date) => new Map<string, Reading>())

/** Computes a value once per key, and keeps it as long as the key exists. */
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

function read(text: string, now: Date) {
  const masked = maskQuotes(text)
  const near = masked.slice(0, glance)
  const first = <T>(found: readonly T[]) => found.slice(0, mostFindings)
  const find = (pattern: RegExp) => first(findAll(near, pattern, ([whole]) => whole))
  // The verb "record" speaks of no recording.
  const spoken = toConcepts(near.replace(/^record\b/i, 'log'))
  const words = findAll(near, wordOrSign, ([word]) => word.toLowerCase()).slice(0, mostWords)
  const phrases = findPhrases(words)
  const heads = new Set(
    [...phrases.keys()].map((at) => toConcept(words.find(({ start }) => start === at)?.value ?? '')),
  )
  return {
    text,
    // The text with masked quotations. Positions are unchanged.
    masked,
    today: renderDate(now),
    concepts: new Set([...[...spoken].filter((one) => !heads.has(one)), ...phrases.values()]),
    // Phrases that act as one word, such as "call it off", by the position of their first word.
    phrases,
    // The clause's first word, or the phrase that starts with that word.
    verb: phrases.get(0) ?? /^[\p{L}'’]+/u.exec(withPhrases(near))?.[0] ?? '',
    words,
    quotes: findQuotes(text),
    numbers: first(findNumbers(near).filter((one) => Number.isFinite(one.value) && !isPronoun(one, near))),
    dates: first(findDates(near, now)),
    times: first(findTimes(near)),
    // In seconds.
    durations: first(findDurations(near)),
    emails: find(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g),
    urls: find(/\b(?:https?|ftp):\/\/[^\s,)]*[^\s,.;:!?)]/g),
    sizes: first(findSizes(near)),
    artifacts: find(artifactId),
    // File names and paths such as `notes.txt`, `src/index.ts` or `owner/name`.
    files: find(
      /(?<![\w@/:.~-])(?:(?:[\w~.-]{0,100}\/){1,30}[\w.-]{0,100}\w|[\w-]{1,100}\.[a-z]{2,4}\b(?!\.\w))/g,
    ),
    phones: find(/(?<![\w.-])\+?\d[\d ()-]{6,}\d(?![\w.-])/g),
    // Words between spaces that contain a digit, or start with # or @: `A1-04`, `2026/17`, `#crew`.
    tokens: find(
      /(?<![^\s("',:])(?:[A-Z]{1,3}-[A-Z]{1,2} \d{1,4}[A-Z]?(?![\w-])|[A-Z]{1,3}\d{1,3}[A-Z]? \d?[A-Z]{2,3}(?![\w-])|[#@][\w-]{2,60}|[\w./#:+-]{0,60}\d[\w./#:+-]{0,60})/g,
    ).map(({ value, start }) => {
      const plain = value.replace(/[.:/,+-]+$/, '')
      return { value: plain, start, end: start + plain.length }
    }),
    names: first(findNames(near)),
    symbols: find(/\b[A-Z]{2,5}\b(?!-\d)/g),
  }
}

const wordOrSign = /°?[\p{L}+#][\p{L}\p{N}+#/]*(?:['’]\p{L}{1,2}(?!\p{L}))?|[$€£¥]/gu

// "Another one" and "a blue one" are things, not numbers.
function isPronoun({ start, end }: Span, text: string): boolean {
  const isThing = determiner.test(text.slice(Math.max(0, start - 30), start))
  return (
    /^one$/i.test(text.slice(start, end)) && (isThing || /^\s+(?:with|that|which)\b/i.test(text.slice(end)))
  )
}

const determiner = /\b(?:another|this|that|each|every|which|the(?:\s+\p{L}{1,20})?|an?\s+\p{L}{1,20})\s+$/iu

export function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end
}

export function isWithin(inner: Span, outer: Span): boolean {
  return inner.start >= outer.start && inner.end <= outer.end
}

/** Whether a number is independent, not part of a date, time, size, address or id. */
export function isIndependentNumber(
  span: Span,
  { dates, times, sizes, emails, urls, artifacts, names }: Reading,
): boolean {
  const wholes = [dates, times, sizes, emails, urls, artifacts, names].flat()
  return !wholes.some((whole) => isWithin(span, whole))
}

export interface Span {
  readonly start: number
  readonly end: number
}

export const artifactId = /\b(?:img|aud|txt|file)_[a-z0-9]{6,}\b/g

// These limit the work of a long or hostile clause, where each match is compared with each parameter. The
// limit is in characters: later text can only become part of a text argument.
export const glance = 4000
const mostFindings = 60
const mostWords = 1000

/** Finds sequences of capitalised words. A single word at the start of a sentence is not a name. */
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
    // "Groom the Eagle": an unknown verb and its object.
    const isSkipped = atStart && (isOne || words[1] === 'the' || isOrdinary(first.toLowerCase()))
    // "GDP of Norway".
    const [share = ''] = /^\p{Lu}{2,}\sof\s/u.exec(match[0]) ?? []
    const skipped = isSkipped ? `${first} ` : share
    const plain = match[0].slice(skipped.length)
    const [house = ''] = street.test(plain)
      ? (/\d{1,5}[a-z]?\s+$/.exec(text.slice(0, match.index)) ?? [])
      : []
    const [address = ''] = street.test(plain)
      ? (town.exec(text.slice(match.index + match[0].length)) ?? [])
      : []
    const behind = house !== '' || /^\s/.test(address) ? address : ''
    const value = house + plain + behind
    const isCode = /^-?\d/.test(text.slice(match.index + match[0].length))
    if (value.length < 2 || isCode || (words.length === 1 && neverNames.test(value))) return []
    return [
      {
        value,
        start: match.index + skipped.length - house.length,
        end: match.index + match[0].length + behind.length,
      },
    ]
  })
}

const capital = "\\p{Lu}[\\p{L}'’.-]*\\p{L}(?:/\\p{Lu}[\\p{L}_]+)*|\\p{Lu}(?=\\s)"
const titles = '(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\\.?\\s+)?'
const run = new RegExp(
  `(?<![\\p{L}\\p{N}@/.#_])${titles}(?:${capital})(?:\\s+(?:(?:de|da|del|la|le|van|von|of|the|upon)\\s+){0,2}(?:${capital}))*(?:,\\s(?!OK)\\p{Lu}{2}(?!\\p{L}|,))?`,
  'gu',
)
const neverNames =
  /^(?:I|OK|January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)$/

const street =
  /(?:stra(?:ss|ß)e|weg|gasse|platz|allee)$|^(?:Rue|Via|Calle)\s|\s(?:View|Hill|Court|Close|Terrace|Gardens|Row|Park|Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Way|Square|Boulevard|Place)\.?$/

// "Mill Road 9, Leeds"
const town =
  /^(?:\s\d{1,4}[a-z]?\b(?![-/.:]\d))?(?:,\s\p{Lu}[\p{L}-]+(?:\s\p{Lu}[\p{L}-]+){0,2}(?:,\s\p{Lu}{2}\b)?)?/u

// "Bella got her vaccine", "Jonas takes vacation".
const subject =
  /^\s+(?:got|gets|has|had|was|is|needs?|wants?|takes|took|will|should|would|left|paid|brought|\p{Ll}{3,}ed)\b/u

// "Ann and Bob", "Paris, Rome": the first word of a list of names is a name.
const listGoesOn = /^(?:,\s*|\s+(?:and|or)\s+)\p{Lu}\p{L}/u
