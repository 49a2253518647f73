import { glance, onceFor, overlaps, type Reading, type Span } from './clauses.js'
import { type Candidate, type FillContext, widen } from './fill-context.js'
import type { Slot } from './planner-tool.js'
import {
  type Found,
  groupsOf,
  isRelated,
  isShort,
  knows,
  stem,
  stopWords,
  toConcept,
  toConcepts,
  weightOf,
} from './words.js'

interface Mention extends Found<unknown> {
  /** Added to the weight of the evidence. Below 0 if only some words match, or on the wrong side of a pair. */
  readonly role: number
}

/** Finds mentions of a slot's enum values: by their words, by other spellings, or by a part that only one value has. */
export function choiceMentions(slot: Slot, reading: Reading): readonly Mention[] {
  const known = mentionsIn(reading)
  const mentions = known.get(slot.choices) ?? findMentions(slot, reading)
  known.set(slot.choices, mentions)
  return mentions
}

const mentionsIn = onceFor((_: Reading) => new Map<Slot['choices'], readonly Mention[]>())

function findMentions(slot: Slot, { masked, words }: Reading): Mention[] {
  const lower = masked.toLowerCase()
  const shared = (concept: string) => slot.choices.filter(({ concepts }) => concepts.has(concept)).length
  const found = slot.choices.flatMap((choice): Mention[] => {
    const { value, written, concepts, aliases } = choice
    const exact = String(value)
    if (exact === '') return []
    if (exact.length <= 2 && exact === exact.toUpperCase() && /^\p{Lu}/u.test(exact)) {
      const pattern = new RegExp(
        `(?<![\\p{L}\\p{N}'’])${exact.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}'’+-])`,
        'gu',
      )
      const hits = [...masked.matchAll(pattern)].filter(({ index }) => !/^[AI]$/.test(exact) || index > 0)
      if (hits[0])
        return hits.map(({ index }) => ({ value, start: index, end: index + exact.length, role: 0 }))
    }
    const whole = isShort(written) ? [] : placesOf(lower, written)
    if (whole.length > 0)
      return whole.map((start) => ({ value, start, end: start + written.length, role: 0.5 }))
    const spoken = words.filter((one) => {
      const own = stem(one.value)
      if (own === stem(written) || aliases.includes(own)) return !isShort(one.value) || isUnit(one, masked)
      return aliases.length === 0 && concepts.size === 1 && concepts.has(toConcept(one.value))
    })
    if (spoken.length > 0) return spoken.map(({ start, end }) => ({ value, start, end, role: 0 }))
    const parts =
      [...concepts].length > 1
        ? words.filter((one) => one.value.length > 3 && concepts.has(toConcept(one.value)))
        : []
    const all = [...concepts].every((concept) => parts.some((one) => toConcept(one.value) === concept))
    const [first] = parts
    const last = parts.at(-1)
    if (all && first && last) return [{ value, start: first.start, end: last.end, role: 0.3 }]
    return parts
      .filter((one) => shared(toConcept(one.value)) === 1)
      .slice(0, 1)
      .map(({ start, end }) => ({ value, start, end, role: -0.8 }))
  })
  const denied = found.filter(
    ({ start }) =>
      !/\b(?:not|no longer|instead of|rather than|never)\s+(?:\p{L}+\s+)?$/iu.test(
        masked.slice(Math.max(0, start - 20), start),
      ),
  )
  if (found.length === 0) return relatedMentions(slot, words)
  const sided = denied.map((one) => ({ ...one, role: one.role + sideWeight(slot, one, masked) }))
  return sided.sort((one, other) => one.start - other.start)
}

/** Returns a second value of an enum: "take in the dress and put a zip into the skirt". */
export function unusedChoices(picks: readonly Candidate[], { reading, tool }: FillContext): string[] {
  return picks.flatMap(({ slot, value, alternatives, spans: [span] }) => {
    if (slot.kind !== 'choice' || alternatives || !span) return []
    const isOther = (one: Mention) => {
      const between = reading.masked.slice(Math.min(one.end, span.start), Math.max(one.start, span.start))
      const isUsed = picks.some(({ spans }) => spans.some((used) => overlaps(one, used)))
      const isOfTool = tool.nameConcepts.has(toConcept(String(one.value)))
      return one.value !== value && !isUsed && !isOfTool && one.role >= 0 && /\band\b|[,;]/i.test(between)
    }
    return choiceMentions(slot, reading)
      .filter(isOther)
      .map(({ start, end }) => reading.text.slice(start, end))
  })
}

// "Ill" for "illness": the only value that a word is related to.
function relatedMentions({ choices }: Slot, words: Reading['words']): Mention[] {
  const groups = choices.map(({ concepts }) => groupsOf(concepts.size > 1 ? [] : concepts))
  return words.flatMap(({ value, start, end }) => {
    const concept = toConcept(value)
    if (stopWords.has(value) || weightOf(concept) < 1) return []
    const near = choices.filter((_, index) => isRelated(concept, groups[index] ?? new Set()))
    const [only] = near
    return only && near.length === 1 ? [{ value: only.value, start, end, role: -0.6 }] : []
  })
}

// A number precedes the source of a conversion; "to", "in" or "how many" precedes its target.
function sideWeight({ role }: Slot, { start }: Span, masked: string): number {
  if (!role) return 0
  const before = masked.slice(Math.max(0, start - 30), start)
  const isSource = /[\d.]\s*(?:degrees?\s+)?$/i.test(before) || /\bfrom\s+(?:the\s+|my\s+)?$/i.test(before)
  const isTarget = /\b(?:to|into|in|how many)\s+(?:the\s+|my\s+)?$/i.test(before)
  if (isSource === isTarget) return -0.2
  return isSource === (role === 'from') ? 1 : -1.5
}

// "C" and "in" are units next to a number; "C" also after "to".
function isUnit({ value, start }: Found<string>, masked: string): boolean {
  const before = masked.slice(Math.max(0, start - 12), start)
  return /\d\s?$/.test(before) || (value !== 'in' && /\b(?:from|to|into|in|per|how many)\s+$/i.test(before))
}

function placesOf(text: string, word: string): number[] {
  const places: number[] = []
  for (let at = word === '' ? -1 : text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ''} ${text[at + word.length] ?? ''}`
    if (!/[\p{L}\p{N}]/u.test(around) && places.length < 20) places.push(at)
  }
  return places
}

/** Returns the values that "weekdays", "the weekend" or "every day" represents. */
export function groupMention(slot: Slot, { masked }: Reading) {
  const pattern = /\b(?:on )?(?:(weekdays|workdays|every weekday)|(weekends?|the weekend)|every day|daily)\b/i
  const match = pattern.exec(masked)
  const days = slot.choices
    .map(({ value }) => value)
    .filter((value) => /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(String(value)))
  if (!match || days.length < 7) return undefined
  const isEnd = (value: unknown) => /^s/i.test(String(value))
  const value = match[1] ? days.filter((day) => !isEnd(day)) : match[2] ? days.filter(isEnd) : days
  return { value, spans: [{ start: match.index, end: match.index + match[0].length }] }
}

/** Returns true if the clause mentions the slot, and false if it does so with "no", "without" or "off". */
export function flagMention(slot: Slot, { masked, text, phrases }: Reading) {
  if (switches.test(slot.words)) {
    const match = /\b(?:turn|switch|put|leave|keep|power)(?:ed)?\s+(?:\S+\s+){0,5}?(on|off)\b/i.exec(masked)
    if (!match) return []
    // The preposition of "switch on the lamp" may be that of the next words too.
    return [{ value: match[1] !== 'off', spans: [{ start: match.index, end: match.index + 1 }] }]
  }
  const isAvoiding = /^(?:avoid|exclude|without|skip|no)\b/.test(slot.words)
  const own = [
    ...toConcepts(
      slot.words.replace(
        /^(?:avoid|exclude|without|skip|no|only|includ(?:e|ing)|with|show|want|return|is|has|have|use|enable|allow|send|add|get) | only$/,
        '',
      ),
    ),
  ].flatMap((concept) => {
    // "Stats" for "statistics" in the description.
    const whole = [...slot.textConcepts].find((one) => concept.length > 2 && one.startsWith(concept))
    return concept === '' ? [] : (whole ?? concept)
  })
  // "Our money back" for a refund.
  const isMeant = ({ index }: RegExpExecArray) =>
    index > 0 && isRelated(phrases.get(index) ?? '', slot.coreGroups)
  const spoken = [...masked.slice(0, glance).matchAll(/\p{L}+/gu)].filter(
    (word) => isMeant(word) || [...toConcepts(word[0])].some((one) => knows(new Set(own), one)),
  )
  const found = new Set(spoken.flatMap((word) => [...toConcepts(word[0])]))
  const share = own.filter((concept) => knows(found, concept)).length
  if (own.length === 0 || (share * 2 <= own.length && !spoken.some(isMeant))) return []
  const [first] = spoken
  const last = spoken.filter(({ index }) => index - (first?.index ?? 0) < 40).at(-1)
  if (!first || !last) return []
  const before = masked.slice(0, first.index)
  const denial =
    /\b(?:no|not|without|\p{L}+n['’]t|dont|non|never|skip|avoid(?:ing)?|exclud(?:e|ing))\b[\s-]*(?:(?!and\b)\p{L}+\s+){0,2}$/iu.exec(
      before,
    )
  const end = last.index + last[0].length
  const [set = ''] =
    /^(?:\s+(?:is|to)|:|\s*=)?\s+(?:off|no|false|disabled|on|yes|true|enabled)\b/i.exec(masked.slice(end)) ??
    []
  const start = denial?.index ?? widen({ start: first.index, end }, text).start
  const isDenied = denial !== null || /(?:off|no|false|disabled)$/i.test(set)
  return [{ value: isAvoiding || !isDenied, spans: [{ start, end: end + set.length }] }]
}

const switches = /^(?:is )?(?:on|enabled?|active|power|powered|state)$/
