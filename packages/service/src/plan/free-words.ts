import {
  glance,
  isIndependentNumber,
  isWithin,
  onceFor,
  overlaps,
  type Reading,
  type Span,
} from './clauses.js'
import type { FillContext } from './fill-context.js'
import type { PlannerTool, Slot } from './planner-tool.js'
import {
  isCarrier,
  isFiller,
  isRelated,
  isSelecting,
  isVerb,
  knows,
  splitName,
  stem,
  stopWords,
  toConcept,
  weightOf,
} from './words.js'

/** A run of words between prepositions, commas, names, quotations and words that name a parameter. */
export interface Phrase extends Span {
  /** The preposition or sign before the phrase. Empty at the start. */
  readonly lead: string
  readonly from: number
  /** The concept of the word before or after the phrase that names a parameter. */
  readonly cue: string
  readonly tail: string
  readonly to: number
  readonly kind: 'words' | 'name' | 'quote'
  /** Whether all words of the phrase belong to the tool or are fillers. */
  readonly isEmpty: boolean
  readonly region: number
}

export function toPhrases(slots: readonly Slot[], taken: readonly Span[], context: FillContext): Phrase[] {
  const phrases: Phrase[] = []
  let isFirst = true
  for (const { words, tail, lead, from, cue, region } of toGroups(toUnits(slots, context), taken)) {
    const bare = trimmed(words, isFirst)
    const [head] = bare
    const last = bare.at(-1)
    if (!head || !last || phrases.length >= mostPhrases) continue
    const kind = head.kind === 'name' || head.kind === 'quote' ? head.kind : 'words'
    const isEmpty = saysNothing(bare)
    const place = { start: head.start, end: last.end, from: from ?? head.start, to: tail?.end ?? last.end }
    phrases.push({ ...place, lead, cue, tail: tail?.concept ?? '', kind, isEmpty, region })
    isFirst &&= isEmpty
  }
  return phrases
}

function saysNothing(words: readonly Unit[]): boolean {
  return (
    words.length < 3 && words.every(({ kind }) => kind === 'tool' || kind === 'stop' || kind === 'choice')
  )
}

interface Group {
  readonly words: readonly Unit[]
  readonly lead: string
  readonly from: number | undefined
  readonly cue: string
  readonly tail: Unit | undefined
  readonly region: number
}

function toGroups(units: readonly Unit[], taken: readonly Span[]): Group[] {
  const groups: Group[] = []
  const none = { lead: '', from: undefined as number | undefined, cue: '' }
  let marks = none
  let words: Unit[] = []
  let region = 0
  const close = (tail?: Unit) => {
    if (words.length > 0) groups.push({ words, ...marks, tail, region })
    if (words.some(({ kind }) => kind !== 'stop') || tail) marks = none
    words = []
  }
  let at = 0
  for (const [index, unit] of units.entries()) {
    const isTaken = taken.some((span) => overlaps(unit, span))
    if (isTaken || taken.some(({ start, end }) => start >= at && end <= unit.start && end > start)) {
      close()
      region++
      marks = none
    }
    at = unit.start
    if (isTaken) continue
    if (unit.kind === 'lead') {
      close()
      marks = { ...marks, lead: unit.lower, from: marks.from ?? unit.start }
    } else if (unit.kind === 'cue') {
      const isTail = words.some(({ kind }) => kind === 'word' || kind === 'name' || kind === 'quote')
      close(isTail ? unit : undefined)
      marks = isTail ? none : { ...marks, from: marks.from ?? unit.start, cue: unit.concept }
    } else if (unit.kind === 'name' || unit.kind === 'quote') {
      close()
      words = [unit]
      // A word that names a parameter may follow: "Road Trip playlist".
      const isNext = /^(?:quote|name)$/.test(units[index + 2]?.kind ?? '')
      if (units[index + 1]?.kind !== 'cue' || (unit.kind === 'quote' && (marks.cue !== '' || isNext))) close()
    } else words.push(unit)
  }
  close()
  return groups
}

interface Unit extends Span {
  readonly kind: 'lead' | 'cue' | 'name' | 'quote' | 'stop' | 'tool' | 'choice' | 'word'
  readonly lower: string
  readonly concept: string
  readonly isFree: boolean
  /** Whether the unit is a word of the tool's name itself, not a synonym. */
  readonly isOwn: boolean
}

/** Groups the words of a clause by their role. Only the cues depend on the parameters that are open. */
function toUnits(slots: readonly Slot[], { reading, tool }: FillContext): Unit[] {
  const known = unitsIn(reading)
  const units = known.get(tool) ?? findUnits(reading, tool)
  known.set(tool, units)
  const core = new Set(slots.flatMap((slot) => [...slot.core]))
  return units.map((unit) => (unit.isFree && core.has(unit.concept) ? { ...unit, kind: 'cue' } : unit))
}

const unitsIn = onceFor((_: Reading) => new Map<PlannerTool, readonly Unit[]>())

function findUnits(reading: Reading, tool: PlannerTool): Unit[] {
  const units: Unit[] = []
  const own = new Set(splitName(tool.name).toLowerCase().split(/\s+/).map(stem))
  const known = new Set([...tool.nameConcepts, ...tool.textConcepts, ...tool.slots.flatMap(conceptsOf)])
  for (const match of reading.masked
    .slice(0, glance)
    .matchAll(/\uE000+|[\p{L}\p{N}#@][\p{L}\p{N}'’&.\-/%]*|[$€£%]|[,;()–—]|:(?=\s|$|\uE000)/gu)) {
    const start = match.index
    if (start < (units.at(-1)?.end ?? 0)) continue
    const quote = reading.quotes.find((one) => one.start === start)
    const raw = match[0].replace(/[.\-/]+$/, '')
    const lower = raw.toLowerCase()
    const isCommand =
      units.length === 0 &&
      !reading.names.some((one) => one.start === start && one.value.includes(' ')) &&
      (known.has(toConcept(lower)) || isVerb(lower) || takesObject.test(reading.masked.slice(start)))
    const name = isCommand ? undefined : reading.names.find((one) => one.start === start)
    const end = quote?.end ?? name?.end ?? start + raw.length
    const concept = toConcept(lower.replace(/['’]s$/, ''))
    const isLead = /^[,;:()–—]$|^and$/.test(lower) || Object.hasOwn(leads, lower)
    const isOfTool = isCommand || known.has(concept)
    const isStop = stopWords.has(lower) || isFiller(lower)
    const plain = isOfTool ? 'tool' : isStop ? 'stop' : isSelecting(lower) ? 'choice' : 'word'
    const kind = quote ? 'quote' : isLead ? 'lead' : name ? 'name' : plain
    const isFree = !isCommand && /^(?:tool|stop|choice|word)$/.test(kind)
    units.push({ kind, isFree, start, end, isOwn: own.has(stem(lower)), lower, concept })
  }
  return units
}

// "Restart the server": an unknown verb is not a value.
const takesObject = /^\p{L}+\s+(?:the|a|an|my|our|your|his|her|their|this|that|these|those|all|every)\s/u

function conceptsOf({ core, nameConcepts, inner }: Slot): string[] {
  return [...core, ...nameConcepts, ...inner.flatMap(conceptsOf)]
}

// Without the fillers around it. At the start of the clause, without the tool's words too.
function trimmed(words: readonly Unit[], isFirst: boolean): Unit[] {
  const isContent = ({ kind }: Unit) => kind !== 'stop' && !(isFirst && kind === 'tool')
  const from = words.findIndex(isContent)
  const to = words.findLastIndex(({ kind, isOwn }) => kind !== 'stop' && !(kind === 'tool' && isOwn))
  const plain = words.filter(({ kind }) => kind !== 'tool')
  const isPlain =
    plain.length > 2 &&
    plain.every(({ kind, lower }) => kind === 'stop' && !/^(?:it|them|this|that|one|ones)$/.test(lower))
  if (isPlain && isFirst) return plain
  return from < 0 || to < from
    ? words.filter(({ kind }) => kind === 'tool').slice(0, 1)
    : words.slice(from, to + 1)
}

// Limits the work of a hostile clause.
const mostPhrases = 40

/** The prepositions, and the parameters whose values they introduce. */
export const leads: Readonly<Record<string, RegExp>> = {
  from: /\b(?:from|merchant|retailer|seller|origin|source|departure|start|pickup|sender|supplier|vendor|store|shop|old|current|loading|leav)/,
  to: /\b(?:to|destination|target|arrival|recipient|receiver|drop ?off|new|channel|customer|client|assignee|unloading|playlist|goes|ends?)\b/,
  into: /\b(?:to|into|target|destination|class|room|container|folder)\b/,
  onto: /\b(?:to|onto|target|platform)\b/,
  for: /\b(?:reason|purpose|for|client|customer|patient|guest|beneficiary|recipient|topic|event|project|employee|member|student|pupil|child|occasion|complaint|subject|owner|service|vehicle|crop|team|role|position|item|product|query|city|search|symptoms?|why|species|pet)\b/,
  with: /\b(?:with|attendees?|participants?|doctor|dentist|practitioner|therapist|trainer|coach|teacher|tutor|supplier|partner|contact|host|stylist|instructor|vet|lawyer|attorney|agent|person|provider|guide|company|ingredients?|toppings?)\b/,
  at: /\b(?:company|employer|venue|merchant|vendor|retailer|seller|market|location|place|address|restaurant|hotel|branch|site|store|school|clinic|station|at|where|office|warehouse|street|shop|farm)\b/,
  in: /\b(?:city|town|country|region|room|location|area|place|folder|district|zone|key|in|where|department|category|ward|neighbou?rhood|hall|building|field|subject|language|colou?r|warehouse|house)\b/,
  on: /\b(?:topic|subject|on|channel|platform|device|track|field|court|lane|route|matter|project|street|page|account)\b/,
  by: /\b(?:author|artist|by|writer|composer|teacher|instructor|carrier|driver|performer|band|maker|brand|signed)\b/,
  about: /\b(?:topic|subject|about|query|question|keywords?|description|matter|title)\b/,
  regarding: /\b(?:topic|subject|about|query|description|matter|reason)\b/,
  against: /\b(?:opponent|opposing|defendant|against|respondent|other party|rival|team)\b/,
  versus: /\b(?:opponent|opposing|against|rival|team)\b/,
  as: /\b(?:role|as|type|category|position|title|format|status)\b/,
  under: /\b(?:category|folder|name|project|label|section|account)\b/,
  near: /\b(?:location|place|near|address|city|area|where)\b/,
  around: /\b(?:location|place|near|area|where)\b/,
  via: /\b(?:method|carrier|platform|mode|tool|channel|via|stop)\b/,
  using: /\b(?:method|tool|mode|material|instrument)\b/,
  of: /\b(?:of|owner|patient|customer|client|employee|dish|article|product|artist|author|room|city|book|subject)\b/,
  ':': /\b(?:body|message|text|content|note|notes|description|narrative|comment|details|query|items?|title)\b/,
}

/** The words and values of a clause that some spans leave unused. Words of the tool count as used. */
export type Coverage = ReturnType<typeof toCoverage>

/** Prepares to account for a clause's words: each must be used, belong to the tool, or only carry the request. */
export function toCoverage(
  slots: readonly Slot[],
  { reading, tool, topic, selects, operands, elsewhere }: FillContext,
) {
  const calculates = [...operands.values()].some((value) => value !== undefined)
  const { text } = reading
  const { concepts, groups } = toKnown(slots)
  const own = new Set([
    ...tool.nameConcepts,
    ...tool.textConcepts,
    ...(topic?.known ?? []),
    ...(elsewhere?.tool.nameConcepts ?? []),
    ...(elsewhere?.tool.textConcepts ?? []),
  ])
  const known = new Set([...own, ...concepts])
  const related = new Set([...tool.nameGroups, ...groups])
  const flagGroups = new Set(
    slots.flatMap(({ kind, coreGroups }) => (kind === 'flag' ? [...coreGroups] : [])),
  )
  const explains = (concept: string) => knows(known, concept) || isRelated(concept, related)
  const words = reading.words.filter((word) => hasMeaning(word, reading, explains))
  const values = valuesOf(reading, tool)
  const names = reading.words.flatMap(({ value, start, end }) => {
    const concept = reading.phrases.get(start) ?? toConcept(value)
    const isOfTool = own.has(concept) || isRelated(concept, tool.nameGroups)
    const isName =
      (known.has(concept) || isRelated(concept, flagGroups)) && !isOfTool && !stopWords.has(value)
    return isName ? [{ word: value, concept, start, end }] : []
  })
  return (used: readonly Span[]) => {
    const isFree = (one: Span) =>
      !calculates && ![...used, ...(elsewhere?.spans ?? [])].some((span) => overlaps(one, span))
    const freeValues = values.filter(isFree)
    const freeWords = words.filter(
      (one) =>
        isFree(one) &&
        !freeValues.some((value) => isWithin(one, value)) &&
        !(selects && isSelecting(one.value)),
    )
    return {
      // Unused words that name a parameter or are in its description.
      names: names.filter((one) => isFree(one) && !(selects && isSelecting(one.word))),
      words: freeWords.map(({ start, end }) => text.slice(start, end)),
      values: freeValues.map(({ start, end }) => text.slice(start, end)),
    }
  }
}

const toKnown = onceFor((slots: readonly Slot[]) => ({
  concepts: new Set(slots.flatMap((slot) => [...slot.core, ...slot.nameConcepts, ...slot.textConcepts])),
  groups: new Set(slots.flatMap((slot) => [...slot.coreGroups])),
}))

/** Whether a word says something that neither the tool nor the form of the request explains. */
function hasMeaning(
  { value, start }: Reading['words'][number],
  { masked, words, phrases }: Reading,
  explains: (concept: string) => boolean,
): boolean {
  // "Billing and search": a word of little weight names a thing here.
  const isThing =
    /(?:,|\b(?:and|or))\s+$/i.test(masked.slice(0, start)) &&
    /^\p{L}+(?:\s*,|\s+(?:and|or|in|on|at|to|from|for)\b|\s*$)/u.test(masked.slice(start))
  if (isThing && weightOf(toConcept(value)) < 1 && !stopWords.has(value)) return !explains(toConcept(value))
  if (stopWords.has(value) || isFiller(value)) return false
  const plain = value.replace(/(?:n['’]t|['’](?:s|re|ve|ll|d|m|t))$/, '')
  if (stopWords.has(plain) || isFiller(plain) || isCarrier(plain) || weightOf(toConcept(plain)) < 1)
    return false
  if ([...phrases.values()].some((phrase) => phrase.split('_').slice(1).includes(plain))) return false
  if (explains(toConcept(plain)) || explains(phrases.get(start) ?? '')) return false
  const before = masked.slice(0, start)
  if (
    (plain === 'first' && /est\s+$/.test(before)) ||
    (/^(?:morning|afternoon|evening)$/.test(plain) && /\bthis\s+$/i.test(before))
  )
    return false
  const isSpoken = start === words[0]?.start
  return !(isSpoken && isVerb(plain))
}

// The values that are lost if nothing uses them.
function valuesOf(reading: Reading, { name }: PlannerTool): Span[] {
  const { masked } = reading
  const named = splitName(name).toLowerCase().split(' ')
  return [
    // "One of them" and "a medium one" are not numbers.
    ...reading.numbers.filter(
      (one) => isIndependentNumber(one, reading) && !/^one$/i.test(masked.slice(one.start, one.end)),
    ),
    ...reading.dates.filter(({ start, end }) => !/^(?:today|tonight)$/i.test(masked.slice(start, end))),
    ...reading.times,
    ...reading.emails,
    ...reading.urls,
    ...reading.quotes,
    ...reading.artifacts,
    ...reading.names.filter(({ value }) =>
      value
        .toLowerCase()
        .split(/\s+/)
        .every((word) => (stopWords.has(word) || isFiller(word)) && !named.includes(word)),
    ),
    ...reading.tokens.filter(({ value }) => !/^\d+$/.test(value)),
  ]
}
