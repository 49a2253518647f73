import { glance, isWithin, onceFor, type Reading, readClause, type Span } from './clauses.js'
import { daysAfter } from './dates.js'
import {
  type Candidate,
  cueOf,
  type FillContext,
  listed,
  roleOf,
  sideOf,
  toFillContext,
  toList,
  widen,
  withList,
} from './fill-context.js'
import { choiceMentions, flagMention, groupMention } from './mentions.js'
import { numbersOf, toNumbers, toUnitName } from './number-candidates.js'
import { examplesIn, type Slot } from './planner-tool.js'
import { pickArtifact } from './references.js'
import {
  countryCode,
  currencyCode,
  currencyCodes,
  type Found,
  findAll,
  languageCode,
  toConcept,
} from './words.js'

/** Returns the values in a clause that may be for a slot of any kind except free text. */
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
  phone: (slot, context) => listed(slot, context.reading.phones, context, 3),
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
  text: toUnitName,
}

function toChoiceCandidates(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const all = choiceMentions(slot, reading).filter(({ role }) => slot.required || role > -0.6)
  // "Squash and merge it": the word of the tool is not a second value.
  const others = all.filter(({ value }) => !context.tool.nameConcepts.has(toConcept(String(value))))
  const mentions = others.length > 0 ? others : all
  return mentions.flatMap((one) => {
    const cue = cueOf(slot, one, reading)
    const run = toList(one, mentions, reading.text)
    const span = { start: Math.min(cue.start, widen(one, reading.text).start), end: cue.end }
    const score = 2 + (cue.weight > 0 ? 0.5 : 0) + one.role
    const single = { slot, value: one.value, spans: [span], score }
    const values = run.map(({ value }) => value)
    return withList(single, run, values)
  })
}

// An id, a code, a number plate. If there is a pattern or an example, its form decides.
function toCodeCandidates(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const isFormed = slot.schema.pattern !== undefined || slot.forms.length > 0
  const fits = (value: string) =>
    slot.accepts(value) &&
    !isForeignId(value, slot, context) &&
    (slot.forms.length === 0 || slot.forms.some((form) => form.test(value)))
  const upper = (value: string) =>
    [value, /\d/.test(value) ? value.toUpperCase() : value, value.replace(/^#/, '')].find(fits)
  const isTag = /channel|tag/.test(slot.words)
  const windows = isFormed ? wordWindows(reading) : reading.tokens
  const found = windows.flatMap((one) => {
    const bare = /\d/.test(one.value) ? one.value.replace(/^#/, '') : isTag ? one.value : undefined
    const value = isFormed ? upper(one.value) : bare
    return value !== undefined && fits(value) ? [{ ...one, value }] : []
  })
  if (isFormed) return listed(slot, found, context, 2.5)
  // A plain number needs a word next to it that names the parameter.
  return listed(slot, found, context, 0).flatMap((one) => {
    if (!/^\d+$/.test(String(one.value))) return [{ ...one, score: one.score + 1.5 }]
    return one.score < 2 ? [] : [one]
  })
}

// "P-2291" is not for a parameter whose ids start with other letters, if another tool's ids start with "P".
function isForeignId(value: string, { prefixes }: Slot, { tool }: FillContext): boolean {
  const [, letters = ''] = /^([A-Z]{1,5})[-_/#]?\d/.exec(value.toUpperCase()) ?? []
  return letters !== '' && tool.prefixes.has(letters) && !prefixes.includes(letters)
}

// Runs of one to three words.
const wordWindows = onceFor(({ masked }: Reading): Found<string>[] => {
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
})

function toCurrencies(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const near = reading.masked.slice(0, glance)
  const signs = findAll(near, /(?:\b(?:US|AU?|CA?|NZ|HK|S))?\$|[€£¥₹]/gu, ([sign]) => currencyCode(sign))
  const named = wordWindows(reading).flatMap((one) => {
    const upper = one.value.toUpperCase()
    const isCode = currencyCodes.has(upper) && (one.value === upper || !/^try$/i.test(one.value))
    const value = isCode ? upper : currencyCode(one.value)
    return value === undefined ? [] : [{ ...one, value }]
  })
  const found = [
    ...signs,
    ...named.filter((one) => !named.some((other) => other !== one && isWithin(one, other))),
  ].sort((one, other) => one.start - other.start)
  return listed(slot, found, context, 1.5)
}

function toLanguages(slot: Slot, context: FillContext): Candidate[] {
  const asCode = /\b(?:code|iso)\b/.test(`${slot.words} ${slot.description}`)
  const found = findAll(context.reading.masked.slice(0, glance), /\p{L}+/gu, ([word]) => {
    const code = languageCode(word)
    return asCode || code === undefined ? code : word
  })
  return listed(slot, found, context, 1.5)
}

function toCountries(slot: Slot, context: FillContext): Candidate[] {
  const found = context.reading.names.flatMap((one) => {
    const value = /^[A-Z]{2}$/.test(one.value) ? one.value : countryCode(one.value)
    return value === undefined ? [] : [{ ...one, value }]
  })
  return listed(slot, found, context, 2)
}

// "notes.txt", or the word next to "folder".
function toPaths(slot: Slot, context: FillContext): Candidate[] {
  const { masked, files } = context.reading
  const named = /\b(?:folder|directory)\s+([\w./-]*\w)|\b(?:the|my)\s+([\w-]+)\s+(?:folder|directory)/gi
  const folders = findAll(masked, named, ([, behind, before]) => behind ?? before)
  return [
    ...listed(slot, /folder|directory/.test(slot.words) ? folders : [], context, 3),
    ...listed(slot, files, context, 2),
  ]
}

function toLists(slot: Slot, context: FillContext): Candidate[] {
  const [item] = slot.inner
  if (!item || item.kind === 'object' || item.kind === 'list' || item.kind === 'text') return []
  if (item.kind === 'choice') {
    const group = groupMention(item, context.reading)
    if (group) return [{ slot, score: 3, ...group }]
    const mentions = choiceMentions(item, context.reading).filter(({ role }) => role > -0.5)
    const values = [...new Set(mentions.map(({ value }) => value))]
    const spans = mentions.map((one) => widen(one, context.reading.text))
    return values.length > 0 && slot.accepts(values)
      ? [{ slot, value: values, spans, score: 1.5 + values.length }]
      : []
  }
  const inner = { ...item, core: slot.core, nameConcepts: slot.nameConcepts, required: slot.required }
  const isIds = item.kind === 'number' && /\b\w+ (?:ids?|numbers?|nos?)$/.test(slot.words)
  const named = (one: Span) =>
    !isIds ||
    (cueOf(slot, one, context.reading).weight >= 1 &&
      !/^\s+(?:more|of)\b/.test(context.reading.masked.slice(one.end)))
  const found =
    item.kind === 'number'
      ? numbersOf(context).filter(({ spans: [span] }) => span && named({ start: span.start, end: span.end }))
      : toCandidates(inner, context)
  const lists = found.map((one) => ({ ...one, slot, value: one.alternatives ?? [one.value] }))
  return lists
    .filter(({ value }) => slot.accepts(value))
    .map(({ alternatives: _, ...one }) => ({
      ...one,
      score: one.score + (one.value as unknown[]).length * 0.5,
    }))
}

/** Returns the dates for a slot, in the spelling of its pattern or description. */
function toDates(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const isPast = happened.test(`${slot.words} ${slot.description}`) || reported.test(reading.masked)
  const examples = examplesIn(slot.description)
  const isWeekday = /\bday of the week|\bweekday/.test(slot.description)
  const isDone = /^(?:(?:how|what|which|when|where|who)\b.*?\s)?(?:did|was|were)\b/i.test(reading.masked)
  // "The day after 3 May" is another day.
  const isBeside = ({ start }: Span) =>
    /\b(?:day|week|month|year)s? (?:after|before) (?:the )?$/i.test(reading.masked.slice(0, start))
  const found = reading.dates
    .filter((one) => !isBeside(one))
    .map((one) => {
      const written = reading.masked.slice(one.start, one.end)
      // "E.g. today, tomorrow": the parameter takes the word.
      if (slot.kind === 'date' && (isWeekday || examples.includes(written.toLowerCase())))
        return { ...one, value: written }
      const isSince = /\b(?:since|as of|after)\s+(?:the\s+)?$/i.test(reading.masked.slice(0, one.start))
      const [year = 0, ...rest] = one.value.split('-')
      if (one.value <= reading.today) return one
      if (weekday.test(written)) return isPast || isSince ? { ...one, value: daysAfter(one.value, -7) } : one
      // "Log 2 hours on 3 May", after it.
      const isLogged = /^(?:log|record)\b/i.test(reading.masked) && daysAfter(one.value, -183) > reading.today
      const isLast = (isSince || isDone || isLogged) && !/\d{4}/.test(written)
      return isLast ? { ...one, value: [Number(year) - 1, ...rest].join('-') } : one
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

// The day of finished work, or of an accident: "Monday" then means last Monday.
const happened =
  /\b(?:not in the future|in the past|past|happened|occurred|incident|worked|performed|done|taken|received|measured|paid|spent)\b/
const reported =
  /(?:^|(?<!\b(?:have|get)\s+)\b(?:i|we|he|she|they|it)\s+)(?:\p{L}{3,}ed|was|were|did|had|ran|took|paid|spent|went|made|saw)\b|\b(?:was|were|happened|arrived)\b/iu

// The spelling that the pattern or the description asks for.
function renderDateFor(value: string, { description, accepts }: Slot): string {
  const [year = '', month = '', day = ''] = value.split('-')
  const write = (form: string) => form.replace('yyyy', year).replace('mm', month).replace('dd', day)
  const isIso = /yyyy-mm-dd|iso/.test(description)
  const asked = isIso ? [] : dateForms.filter((form) => description.includes(form)).slice(0, 1)
  return [...asked.map(write), value, ...dateForms.map(write)].find(accepts) ?? value
}

const dateForms = ['dd/mm/yyyy', 'mm/dd/yyyy', 'dd.mm.yyyy', 'dd-mm-yyyy', 'mm-dd-yyyy', 'yyyymmdd']

function toTimes(slot: Slot, context: FillContext): Candidate[] {
  return listed(slot, context.reading.times, context, 1.5, (value, { description, accepts }) => {
    const [hours = 0, minutes = 0] = value.split(':').map(Number)
    const half = `${hours % 12 || 12}:${String(minutes).padStart(2, '0')} ${hours < 12 ? 'AM' : 'PM'}`
    const forms = /\bam\/pm\b|12-hour|h:mm a/.test(description) ? [half, value] : [value, `${value}:00`, half]
    return forms.find(accepts) ?? value
  })
}

/** Returns the instants for a slot: a day and a time of day together. */
function toMoments(slot: Slot, context: FillContext): Candidate[] {
  const { reading } = context
  const instants = findAll(reading.masked, instant, ([whole]) => whole)
  const written = listed(slot, instants, context, 4)
  if (written.length > 0) return written
  return reading.times.flatMap((time) => {
    const near = [...reading.dates].sort(
      (one, other) => Math.abs(one.start - time.start) - Math.abs(other.start - time.start),
    )
    return near.slice(0, 2).flatMap((date, rank) => {
      const local = `${date.value}T${time.value}`
      const forms = [`${local}:00Z`, `${local}:00`, local, local.replace('T', ' ')]
      const value = [new Date(`${local}:00`).toISOString(), ...forms].find(slot.accepts)
      const cue = cueOf(slot, date.start < time.start ? date : time, reading)
      const spans = [widen(date, reading.text), widen(time, reading.text)]
      const score =
        2.5 - rank + cue.weight + roleOf(slot, date.start < time.start ? date : time, reading.masked)
      return value === undefined ? [] : [{ slot, value, spans, score }]
    })
  })
}

const instant = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g

/** Fills an array of objects, each from its own part of the clause: "3 chairs at 45 dollars and 1 desk at 120". */
export function pickItems(
  slot: Slot,
  context: FillContext,
  fill: (slots: readonly Slot[], context: FillContext) => object | undefined,
): Candidate[] {
  const [item] = slot.inner
  if (item?.kind !== 'object' || item.inner.length === 0) return []
  const { reading } = context
  const tool = {
    ...context.tool,
    slots: item.inner,
    nameConcepts: slot.nameConcepts,
    textConcepts: slot.textConcepts,
    worksOn: undefined,
    makes: undefined,
  }
  const now = new Date(`${reading.today}T12:00`)
  const counts = item.inner.some(({ kind, required }) => kind === 'number' && required)
  const found = toParts(context, counts).map((ends) => {
    const fitting = ends.flatMap(({ start, end }) => {
      const part = readClause(reading.text.slice(start, end).replace(/[\s,;:]+$/, ''), now)
      const value = fill(item.inner, toFillContext(tool, part, []))
      return value ? [{ value, start, end }] : []
    })
    return [fitting[0], fitting.at(-1)]
  })
  // The words after an item may belong to it, or to another parameter.
  return [0, 1].flatMap((end) => {
    const items = found.flatMap((ends) => ends[end] ?? [])
    const value = items.map((one) => one.value)
    if (items.length === 0 || !slot.accepts(value)) return []
    const spans = items.flatMap((one, index) =>
      withoutMoney(index === 0 ? widen(one, reading.text) : one, context),
    )
    return [{ slot, value, spans, score: 1.5 + 1.5 * items.length }]
  })
}

// The prices' currency may fill a separate parameter.
function withoutMoney({ start, end }: Span, { reading, tool }: FillContext): Span[] {
  if (!tool.slots.some(({ kind, words }) => kind === 'currency' || words.includes('currency')))
    return [{ start, end }]
  const found = [
    ...reading.masked.slice(start, end).matchAll(/(?:\b(?:at|for|of|to|by|in)\s+)?[$€£¥]|(?<=\d\s*)\p{L}+/gu),
  ]
  const cuts = found.filter(([word]) => currencyCode(/\S+$/.exec(word)?.[0] ?? '') !== undefined)
  const ends = [...cuts.map(({ index }) => start + index), end]
  const starts = [start, ...cuts.map((cut) => start + cut.index + cut[0].length)]
  return starts.map((from, index) => ({ start: from, end: ends[index] ?? from }))
}

// Limits the work of a hostile clause.
const mostParts = 40

// The possible ends of each part, longest first: it ends at a comma or "and", or before a preposition.
function toParts({ reading }: FillContext, counts: boolean): Span[][] {
  const { masked } = reading
  const cuts = [...masked.matchAll(/[,;\n]|\band\b|\bplus\b|(?<=\w):\s/gi)].filter(
    ({ index }) => !/\d$/.test(masked.slice(0, index)) || !/^,\d/.test(masked.slice(index)),
  )
  const stops = [...cuts.map(({ index }) => index), masked.length]
  const starts = [0, ...cuts.map((cut) => cut.index + cut[0].length)]
  return starts.slice(0, mostParts).flatMap((start, index) => {
    const end = stops[index] ?? start
    const [gap = ''] = /^\s*/.exec(masked.slice(start, end)) ?? []
    const numbers = reading.numbers.filter((one) => one.start >= start && one.end <= end)
    const froms = counts ? numbers.map((one) => one.start) : [start + gap.length]
    const ends = froms.flatMap((from) => {
      const inner = [
        ...masked.slice(from, end).matchAll(/\s+(?:to|for|from|at|on|by|with|in|until|before|of)\s/gi),
      ].slice(0, 6)
      return [
        { start: from, end },
        ...inner.reverse().map(({ index: at }) => ({ start: from, end: from + at })),
      ]
    })
    return masked.slice(froms[0] ?? end, end).trim() === '' ? [] : [ends.slice(0, 12)]
  })
}
