import { boundLead, boundOf, isPriceOfOne, moneyNames, moneyOf, quantityNames, unitOf } from './amounts.js'
import { daysAfter, secondsIn } from './dates.js'
import { cueOf, type FillContext, toList, widen } from './fill-context.js'
import { choiceMentions, flagMention, groupMention } from './mentions.js'
import { countryCode, currencies, currencyCodes, languages } from './nations.js'
import type { FoundNumber } from './numbers.js'
import { isIndependentNumber, type Span } from './read-clause.js'
import { pickArtifact } from './references.js'
import type { Slot } from './slots.js'
import type { Found } from './spans.js'
import { toConcepts } from './words.js'

/** A value that a clause may give to a slot, with the words that it uses. */
export interface Candidate {
  readonly slot: Slot
  readonly value: unknown
  /** The words that it uses. Empty for a value from elsewhere, such as a result. */
  readonly spans: readonly Span[]
  /** The weight of its evidence: above 2 its place or its form decides, below 1 nothing does. */
  readonly score: number
  /** The values of a list such as "Paris, Rome and New York". Each may become a separate call. */
  readonly alternatives?: readonly unknown[]
  /** Whether it is a free text that no word of the clause announces. */
  readonly isLoose?: boolean
}

/** Returns the values that a clause may give to a slot of any kind but free text. */
export function toCandidates(slot: Slot, context: FillContext): Candidate[] {
  if (context.operands.has(slot.name)) {
    const value = context.operands.get(slot.name)
    return value === undefined ? [] : [{ slot, value, spans: [{ start: 0, end: 0 }], score: 4 }]
  }
  return finders[slot.kind]?.(slot, context).slice(0, mostCandidates) ?? []
}

// Limits the work of a hostile clause.
const mostCandidates = 24

type Finder = (slot: Slot, context: FillContext) => Candidate[]

const finders: Partial<Record<Slot['kind'], Finder>> = {
  const: (slot) => [{ slot, value: slot.schema.const, spans: [], score: 0 }],
  artifact: (slot, context) => pickArtifact(slot, context).map((pick) => ({ slot, score: 3, ...pick })),
  email: (slot, context) => listed(slot, context.reading.emails, context, 3),
  phone: (slot, context) => listed(slot, context.reading.phones, context, 3, toPhone),
  url: (slot, context) => listed(slot, context.reading.urls, context, 3),
  size: (slot, context) => listed(slot, context.reading.sizes, context, 3),
  choice: toChoiceCandidates,
  flag: (slot, context) => flagMention(slot, context.reading).map((one) => ({ slot, score: 2, ...one })),
  code: toCodeCandidates,
  moment: toMoments,
  date: toDates,
  time: toTimes,
  number: toNumbers,
  currency: toCurrencies,
  language: toLanguages,
  country: toCountries,
  symbol: (slot, context) => listed(slot, context.reading.symbols, context, 1.5),
  path: toPaths,
  list: toLists,
}

// One candidate for each match, and for each list of matches that begins with it.
function listed<T>(
  slot: Slot,
  found: readonly Found<T>[],
  { reading }: FillContext,
  base: number,
  render: (value: T, slot: Slot) => unknown = (value) => value,
): Candidate[] {
  return found.flatMap((one) => {
    const cue = cueOf(slot, one, reading)
    const run = toList(one, found, reading.text)
    const values = run.map(({ value }) => render(value, slot))
    if (!values.every(slot.accepts)) return []
    const span = { start: Math.min(cue.start, widen(one, reading.text).start), end: cue.end }
    const score = base + cue.weight + roleOf(slot, one, reading.masked)
    const single = { slot, value: values[0], spans: [span], score }
    if (run.length < 2) return [single]
    const whole = { start: span.start, end: Math.max(cue.end, run.at(-1)?.end ?? one.end) }
    return [single, { ...single, spans: [whole], score: score + 0.5, alternatives: values }]
  })
}

// "From", "until": the side of a pair that a value stands on, and the side of its slot.
function roleOf(slot: Slot, { start }: Span, masked: string): number {
  const before = masked.slice(Math.max(0, start - 30), start)
  const side =
    /\b(?:from|since|starting|beginning|leaving|departing|out of)\s+(?:on\s+|at\s+)?(?:the\s+)?$/i.test(
      before,
    )
      ? 'from'
      : /(?:\b(?:to|until|till|through|by|before|into|due|returning|back)|[–-])\s+(?:on\s+|at\s+)?(?:the\s+)?$/i.test(
            before,
          )
        ? 'to'
        : undefined
  const own = sideOf(slot)
  if (own === undefined || side === undefined) return 0
  return own === side ? 1.5 : -1.5
}

/** Returns the side of a slot for one of two values, such as the first or the last day. */
export function sideOf({ words, role }: Slot): 'from' | 'to' | undefined {
  if (role) return role
  if (
    /\b(?:from|start|starts|starting|begin|begins|first|check in|checkin|pickup|pick up|arrival|depart|departure|since|old)\b/.test(
      words,
    )
  )
    return 'from'
  return /\b(?:end|ends|ending|until|last|check out|checkout|return|due|deadline|before|by|till|new)\b/.test(
    words,
  )
    ? 'to'
    : undefined
}

function toPhone(value: string, { schema, description, accepts }: Slot): string {
  const bare = value.replace(/[^\d+]/g, '')
  const wantsBare = /e\.?164|digits only|without spaces/.test(description) || schema.pattern !== undefined
  return wantsBare && (accepts(bare) || !accepts(value)) ? bare : value
}

function toChoiceCandidates(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const mentions = choiceMentions(slot, reading)
  return mentions.flatMap((one) => {
    const cue = cueOf(slot, one, reading)
    const run = slot.role ? [one] : toList(one, mentions, reading.text)
    const span = { start: Math.min(cue.start, widen(one, reading.text).start), end: cue.end }
    const score = 2 + (cue.weight > 0 ? 0.5 : 0) + one.role
    const single = { slot, value: one.value, spans: [span], score }
    const whole = { start: span.start, end: run.at(-1)?.end ?? one.end }
    return run.length > 1
      ? [
          single,
          { ...single, spans: [whole], score: score + 0.5, alternatives: run.map(({ value }) => value) },
        ]
      : [single]
  })
}

// An id, a code, a number plate. A pattern or the form of an example decides where there is one.
function toCodeCandidates(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const isFormed = slot.schema.pattern !== undefined || slot.forms.length > 0
  const fits = (value: string) =>
    slot.accepts(value) && (slot.forms.length === 0 || slot.forms.some((form) => form.test(value)))
  const upper = (value: string) => [value, value.toUpperCase(), value.replace(/^#/, '')].find(fits)
  const windows = isFormed ? wordWindows(reading.masked) : reading.tokens
  const found = windows.flatMap((one) => {
    const value = isFormed ? upper(one.value) : bareCode(one.value, slot)
    return value !== undefined && fits(value) ? [{ ...one, value }] : []
  })
  const quoted = reading.quotes.filter(({ value }) => isFormed && fits(value))
  if (isFormed) return listed(slot, [...found, ...quoted], context, 2.5)
  const isFree = (one: Span) =>
    isIndependentNumber(one, reading) &&
    ![...reading.phones, ...reading.files].some((two) => one.start > two.start && one.end <= two.end)
  return listed(slot, found.filter(isFree), context, 0).flatMap((one) => {
    const isPlainNumber = /^\d+$/.test(String(one.value))
    if (isPlainNumber && one.score < 2) return []
    return [{ ...one, score: one.score + (isPlainNumber ? 0 : slot.required ? 1.5 : 1) }]
  })
}

function bareCode(value: string, { words }: Slot): string | undefined {
  if (/^\$|%$|^@/.test(value)) return undefined
  return /\d/.test(value) ? value.replace(/^#/, '') : /channel|tag/.test(words) ? value : undefined
}

// Runs of one to three words.
function wordWindows(masked: string): Found<string>[] {
  const words = [...masked.matchAll(/[^\s,;"'()!?]+/g)].slice(0, 200)
  return words.flatMap((word, index) =>
    [0, 1, 2].flatMap((more) => {
      const last = words[index + more]
      if (!last) return []
      const start = word.index
      const text = masked.slice(start, last.index + last[0].length).replace(/[.:]+$/, '')
      return [{ value: text, start, end: start + text.length }]
    }),
  )
}

function toDates(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const isPast = isOfPast(slot, reading.masked)
  const found = reading.dates.map((one) => {
    const written = reading.masked.slice(one.start, one.end)
    const shift = isPast && one.value > reading.today && weekday.test(written) ? -7 : 0
    return { ...one, value: shift === 0 ? one.value : daysAfter(one.value, shift) }
  })
  const candidates = listed(slot, found, context, 1.5, renderDateFor)
  const [first] = reading.dates
  const stay = reading.durations.find(({ value }) => value % secondsOfDay === 0)
  if (!first || !stay || sideOf(slot) !== 'to') return candidates
  const value = renderDateFor(daysAfter(first.value, stay.value / secondsOfDay), slot)
  return [...candidates, { slot, value, spans: [widen(stay, reading.text)], score: 1.5 }]
}

const secondsOfDay = 86_400
const weekday = /^(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)$/i

// The day of work that is done, of an accident: a bare "Monday" is the last one.
function isOfPast({ words, description }: Slot, masked: string): boolean {
  return (
    /\b(?:not in the future|in the past|past|happened|occurred|incident|worked|performed|done|taken|received|measured|paid|spent)\b/.test(
      `${words} ${description}`,
    ) ||
    /(?:^|\b(?:i|we|he|she|they|it)\s+)(?:\p{L}{3,}ed|was|were|did|had|ran|took|paid|spent|went|made|saw)\b|\b(?:was|were|happened|arrived)\b/iu.test(
      masked,
    )
  )
}

// The spelling that the pattern or the description asks for.
function renderDateFor(value: string, { description, accepts }: Slot): string {
  const [year = '', month = '', day = ''] = value.split('-')
  const forms: readonly [RegExp, string][] = [
    [/yyyy-mm-dd|iso/, value],
    [/dd\/mm\/yyyy/, `${day}/${month}/${year}`],
    [/mm\/dd\/yyyy/, `${month}/${day}/${year}`],
    [/dd\.mm\.yyyy/, `${day}.${month}.${year}`],
    [/dd-mm-yyyy/, `${day}-${month}-${year}`],
    [/yyyymmdd/, `${year}${month}${day}`],
  ]
  const asked = forms.find(([name]) => name.test(description))?.[1]
  return (
    [asked, value, ...forms.map(([, form]) => form)].find((form) => form !== undefined && accepts(form)) ??
    value
  )
}

function toTimes(slot: Slot, context: FillContext): Candidate[] {
  return listed(slot, context.reading.times, context, 1.5, (value, { description, accepts }) => {
    const [hours = 0, minutes = 0] = value.split(':').map(Number)
    const half = `${hours % 12 || 12}:${String(minutes).padStart(2, '0')} ${hours < 12 ? 'AM' : 'PM'}`
    const forms = /\bam\/pm\b|12-hour|h:mm a/.test(description) ? [half, value] : [value, `${value}:00`, half]
    return forms.find(accepts) ?? value
  })
}

// A day and a time of day together.
function toMoments(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const written = listed(slot, findInstants(reading.masked), context, 4)
  if (written.length > 0) return written
  return reading.times.flatMap((time) => {
    const near = [...reading.dates].sort(
      (one, other) => Math.abs(one.start - time.start) - Math.abs(other.start - time.start),
    )
    return near.slice(0, 2).flatMap((date, rank) => {
      const value = renderMoment(date.value, time.value, slot)
      const cue = cueOf(slot, date.start < time.start ? date : time, reading)
      const spans = [widen(date, reading.text), widen(time, reading.text)]
      const score =
        2.5 - rank + cue.weight + roleOf(slot, date.start < time.start ? date : time, reading.masked)
      return slot.accepts(value) ? [{ slot, value, spans, score }] : []
    })
  })
}

function findInstants(masked: string): Found<string>[] {
  return [...masked.matchAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g)].map(
    ({ 0: value, index }) => ({ value, start: index, end: index + value.length }),
  )
}

function renderMoment(date: string, time: string, { description, accepts, schema }: Slot): string {
  const [shown = ''] =
    /\d{4}-\d\d-\d\d[t ]\d\d:\d\d[\d:.]*(?:z|[+-]\d\d:?\d\d)?|yyyy-mm-dd[t ]hh:mm(?::ss)?z?/.exec(
      description,
    ) ?? []
  const whole = new Date(`${date}T${time}:00`).toISOString()
  const gap = shown.includes(' ') ? ' ' : 'T'
  const seconds = /:\d\d:\d\d|:ss/.test(shown) ? ':00' : ''
  const asked =
    shown === ''
      ? schema.pattern
        ? `${date}T${time}`
        : whole
      : `${date}${gap}${time}${seconds}${/z$/.test(shown) ? 'Z' : ''}`
  return (
    [asked, whole, `${date}T${time}:00Z`, `${date}T${time}:00`, `${date}T${time}`, `${date} ${time}`].find(
      accepts,
    ) ?? whole
  )
}

/** Returns the numbers for a slot: those whose neighbours, unit or bound name it, and others by chance. */
function toNumbers(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const unit = moneyNames.test(slot.words)
    ? undefined
    : (secondsIn(slot.nameConcepts) ?? secondsIn(slot.textConcepts))
  const durations = reading.durations.flatMap((one) => {
    const value = unit === undefined ? undefined : Math.round((one.value / unit) * 1000) / 1000
    return value !== undefined && slot.accepts(value)
      ? [{ slot, value, spans: [widen(one, reading.text)], score: 2.5 }]
      : []
  })
  const numbers = reading.numbers.filter((number) => isIndependentNumber(number, reading))
  const isTime = (number: Span) =>
    reading.durations.some((one) => number.start >= one.start && number.end <= one.end)
  const plain = numbers.filter((number) => !isTime(number))
  return [...durations, ...plain.flatMap((number) => toNumber(slot, number, plain, context))]
}

function toNumber(
  slot: Slot,
  number: FoundNumber,
  all: readonly FoundNumber[],
  context: FillContext,
): Candidate[] {
  const { reading, tool } = context
  const { text, masked } = reading
  const unit = unitOf(slot, number, masked)
  if (unit === undefined) return []
  const value = Math.round(number.value * unit.factor * 1e6) / 1e6
  if (!slot.accepts(value)) return []
  const bound = boundOf(number, masked)
  const side = /\b(?:max|maximum|highest|most|upper|up to|until|under|below)\b/.test(slot.words)
    ? 'max'
    : /\b(?:min|minimum|lowest|least|lower|over|above)\b/.test(slot.words) && !/minutes?/.test(slot.words)
      ? 'min'
      : undefined
  if (bound && side && bound !== side) return []
  const money = moneyOf(number, text)
  const isMoneySlot = moneyNames.test(slot.words) || moneyNames.test(slot.description)
  if (money.isMoney && !isMoneySlot) return []
  const isPercent = /^\s*(?:%|percent\b|per cent\b)/i.test(masked.slice(number.end, number.end + 12))
  const takesPercent =
    /\b(?:percent|percentage|rate|discount|vat|tax|tip|humidity|moisture|brightness|level|volume|share|interest)\b/.test(
      `${slot.words} ${slot.description}`,
    )
  if (isPercent && !takesPercent) return []
  const cue = cueOf(slot, number, reading)
  const counts = quantityNames.test(slot.words) || /\b(?:how many|number of)\b/.test(slot.description)
  const own =
    (bound && side ? 3 : 0) +
    (unit.isOwn ? 2 : 0) +
    (isPercent ? 2 : 0) +
    ((money.isMoney || isPriceOfOne(number, masked)) && isMoneySlot ? 2 : 0)
  const noun = /^\s+(?:more\s+|of\s+)?(\p{L}{3,})/u.exec(masked.slice(number.end, number.end + 30))?.[1] ?? ''
  const near = /^(?:\s+\p{L}+){1,3}/u.exec(masked.slice(number.end, number.end + 40))?.[0] ?? ''
  const isOfTool = [...toConcepts(near)].some(
    (concept) => tool.nameConcepts.has(concept) || slot.textConcepts.has(concept),
  )
  const isCount =
    counts &&
    (isOfTool ||
      /quantity|qty|units?|copies|amount|seats|tickets|pieces|how many(?! (?:images|results))/.test(
        `${slot.words} ${slot.description}`,
      )) &&
    noun !== '' &&
    !money.isMoney &&
    !isPercent &&
    !unit.isKnown
  const id = /\b(?:id|number|no|code)$/.test(slot.words)
  if (id && cue.weight < 2) return []
  const chance =
    slot.required &&
    !(bound && !side) &&
    !(
      noun !== '' &&
      !unit.isKnown &&
      !counts &&
      !money.isMoney &&
      !isPercent &&
      isForeign(noun, slot, context)
    )
      ? 0.6
      : -1
  const sure = own + cue.weight + (isCount ? 1.2 : 0)
  if (sure <= 0 && chance < 0) return []
  const wide = widen(number, text)
  const lead = boundLead(masked.slice(Math.max(0, number.start - 40), number.start))
  const wantsCurrency = tool.slots.some(({ kind, words }) => kind === 'currency' || /currency/.test(words))
  const start = Math.min(
    wide.start,
    number.start - lead.length,
    cue.start,
    wantsCurrency ? number.start : number.start - money.before.length,
  )
  const end = Math.max(number.end + unit.length, cue.end, wantsCurrency ? 0 : number.end + money.after.length)
  const single = { slot, value, spans: [{ start, end }], score: sure > 0 ? 0.6 + sure : chance }
  const run = cue.weight > 0 ? toList(number, all, text) : []
  const last = run.at(-1)
  if (run.length < 2 || !last || !run.every((one) => slot.accepts(one.value))) return [single]
  const whole = { start, end: Math.max(end, last.end) }
  return [
    single,
    { ...single, spans: [whole], score: single.score + 0.5, alternatives: run.map((one) => one.value) },
  ]
}

function isForeign(noun: string, slot: Slot, { tool }: FillContext): boolean {
  const one = noun.toLowerCase()
  return (
    !/^(?:to|from|for|at|in|on|and|or|by|with|please|each|is|are|the)$/.test(one) &&
    ![...slot.core, ...slot.textConcepts, ...tool.nameConcepts].some((concept) =>
      one.startsWith(concept.slice(0, 4)),
    )
  )
}

function toCurrencies(slot: Slot, context: FillContext): Candidate[] {
  const word =
    /[$€£¥]|\b(?:(?:us|british|japanese|swiss|canadian|australian|swedish|norwegian|danish|indian|mexican)\s+)?\p{L}{3,8}\b/giu
  const found = findWords(context, word, (written) => {
    const name = written.toLowerCase().replace(/s$/, '')
    if (
      currencyCodes.has(written.toUpperCase()) &&
      (written === written.toUpperCase() || !/^(?:try|won|all)$/i.test(written))
    )
      return written.toUpperCase()
    return Object.hasOwn(currencies, name) ? currencies[name] : undefined
  })
  return pairwise(slot, listed(slot, found, context, 1.5), found, context)
}

function toLanguages(slot: Slot, context: FillContext): Candidate[] {
  const asCode = /\b(?:code|iso)\b/.test(`${slot.words} ${slot.description}`)
  const found = findWords(context, /\p{L}+/gu, (word) => {
    const name = word.toLowerCase()
    return Object.hasOwn(languages, name) ? (asCode ? languages[name] : word) : undefined
  })
  return pairwise(slot, listed(slot, found, context, 1.5), found, context)
}

// "100 dollars in yen": the first is the source, one after "to" or "in" the target.
function pairwise(
  slot: Slot,
  candidates: Candidate[],
  found: readonly Span[],
  { reading }: FillContext,
): Candidate[] {
  if (!slot.role) return candidates
  return candidates.map((one) => {
    const at = found.findIndex(({ start, end }) =>
      one.spans.some((span) => span.start <= start && span.end >= end),
    )
    const before = reading.masked.slice(0, found[at]?.start ?? 0)
    const isTarget = /\b(?:to|into|in|as|how many|how much)\s+(?:the\s+)?$/i.test(before)
    return { ...one, score: one.score + (isTarget === (slot.role === 'to') ? 0.5 : -0.5) }
  })
}

function toCountries(slot: Slot, context: FillContext): Candidate[] {
  const found = context.reading.names.flatMap((one) => {
    const value = /^[A-Z]{2}$/.test(one.value) ? one.value : countryCode(one.value)
    return value === undefined ? [] : [{ ...one, value }]
  })
  return listed(slot, found, context, 2)
}

function findWords(
  { reading }: FillContext,
  pattern: RegExp,
  read: (word: string) => string | undefined,
): Found<string>[] {
  return [...reading.masked.slice(0, 4000).matchAll(pattern)].slice(0, 400).flatMap((match) => {
    const value = read(match[0])
    return value === undefined ? [] : [{ value, start: match.index, end: match.index + match[0].length }]
  })
}

// "notes.txt", or the word next to "folder".
function toPaths(slot: Slot, context: FillContext): Candidate[] {
  const { masked, files } = context.reading
  const named = /\b(?:folder|directory)\s+([\w./-]*\w)|\b(?:the|my)\s+([\w-]+)\s+(?:folder|directory)/gi
  const folders = [...masked.matchAll(named)].map((match) => ({
    value: match[1] ?? match[2] ?? '',
    start: match.index,
    end: match.index + match[0].length,
  }))
  return [
    ...listed(slot, /folder|directory/.test(slot.words) ? folders : [], context, 3),
    ...listed(slot, files, context, 2),
  ]
}

// All values of one kind that the clause lists.
function toLists(slot: Slot, context: FillContext): Candidate[] {
  const [item] = slot.inner
  if (!item || item.kind === 'object' || item.kind === 'list' || item.kind === 'text') return []
  if (item.kind === 'choice') {
    const group = groupMention(item, context.reading)
    if (group) return [{ slot, score: 3, ...group }]
    const mentions = choiceMentions(item, context.reading)
    const values = [...new Set(mentions.map(({ value }) => value))]
    const spans = mentions.map((one) => widen(one, context.reading.text))
    return values.length > 0 && slot.accepts(values)
      ? [{ slot, value: values, spans, score: 1.5 + values.length }]
      : []
  }
  const inner = { ...item, core: slot.core, nameConcepts: slot.nameConcepts, required: slot.required }
  const found = item.kind === 'number' ? numbersOf(context) : toCandidates(inner, context)
  const lists = found.map((one) => ({ ...one, slot, value: one.alternatives ?? [one.value] }))
  return lists
    .filter(({ value }) => slot.accepts(value))
    .map(({ alternatives: _, ...one }) => ({
      ...one,
      score: one.score + (one.value as unknown[]).length * 0.5,
    }))
}

function numbersOf({
  reading,
}: FillContext): { value: number; spans: Span[]; score: number; alternatives: number[] }[] {
  const numbers = reading.numbers.filter((number) => isIndependentNumber(number, reading))
  return numbers.map((one) => {
    const run = toList(one, numbers, reading.text)
    const span = { start: widen(one, reading.text).start, end: run.at(-1)?.end ?? one.end }
    return {
      value: one.value,
      spans: [span],
      score: run.length > 1 ? 2 : 0.6,
      alternatives: run.map(({ value }) => value),
    }
  })
}
