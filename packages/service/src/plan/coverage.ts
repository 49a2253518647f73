import type { FillContext } from './fill-context.js'
import { isCurrency } from './nations.js'
import { isIndependentNumber, isWithin, onceFor, overlaps, type Reading, type Span } from './read-clause.js'
import type { Slot } from './slots.js'
import {
  isCarrier,
  isFiller,
  isRelated,
  isSelecting,
  isVerb,
  stopWords,
  toConcept,
  weightOf,
} from './words.js'

/** The words and values of a clause that some spans leave unused. Words of the tool count as used. */
export type Coverage = (used: readonly Span[]) => {
  readonly words: string[]
  readonly values: string[]
  /** Unused words that name a parameter or stand in its description, with their concepts. */
  readonly names: readonly { readonly word: string; readonly concept: string }[]
}

/** Prepares the accounting of a clause: each word must be used, be one of the tool, or carry the request. */
export function toCoverage(
  slots: readonly Slot[],
  { reading, tool, topic, selects, operands, elsewhere }: FillContext,
): Coverage {
  if ([...operands.values()].some((value) => value !== undefined))
    return () => ({ words: [], values: [], names: [] })
  const { text } = reading
  const { concepts, groups, hasCurrency } = toKnown(slots)
  const own = new Set([
    ...tool.nameConcepts,
    ...tool.textConcepts,
    ...(topic?.known ?? []),
    ...(elsewhere?.tool.nameConcepts ?? []),
    ...(elsewhere?.tool.textConcepts ?? []),
  ])
  const known = new Set([...own, ...concepts])
  const related = new Set([...tool.nameGroups, ...tool.textGroups, ...groups])
  const words = reading.words.filter((word) => hasMeaning(word, { reading, known, related, hasCurrency }))
  const values = valuesOf(reading)
  const names = reading.words.flatMap(({ value, start, end }) => {
    const concept = toConcept(value)
    const isName = known.has(concept) && !own.has(concept) && !stopWords.has(value) && !isFiller(value)
    return isName && weightOf(concept) === 1 ? [{ word: value, concept, start, end }] : []
  })
  return (used) => {
    const isFree = (one: Span) => ![...used, ...(elsewhere?.spans ?? [])].some((span) => overlaps(one, span))
    const freeValues = values.filter(isFree)
    const freeWords = words.filter(
      (one) =>
        isFree(one) &&
        !freeValues.some((value) => isWithin(one, value)) &&
        !(selects && isSelecting(one.value)),
    )
    return {
      names: names.filter((one) => isFree(one) && !(selects && isSelecting(one.word))),
      words: freeWords.map(({ start, end }) => text.slice(start, end)),
      values: freeValues.map(({ start, end }) => text.slice(start, end)),
    }
  }
}

const toKnown = onceFor((slots: readonly Slot[]) => ({
  concepts: new Set(slots.flatMap((slot) => [...slot.core, ...slot.nameConcepts, ...slot.textConcepts])),
  groups: new Set(slots.flatMap((slot) => [...slot.coreGroups])),
  hasCurrency: slots.some(({ kind }) => kind === 'currency'),
}))

interface ClauseWords {
  readonly reading: Reading
  readonly known: ReadonlySet<string>
  readonly related: ReadonlySet<number>
  readonly hasCurrency: boolean
}

/** Whether a word says something that neither the tool nor the form of the request explains. */
function hasMeaning(
  { value, start }: Reading['words'][number],
  { reading, known, related, hasCurrency }: ClauseWords,
): boolean {
  const { masked, words } = reading
  const isMoney = (hasCurrency && isCurrency(value)) || /^[$€£¥]$/.test(value)
  if (stopWords.has(value) || isFiller(value) || isMoney) return false
  const plain = value.replace(/(?:n['’]t|['’](?:s|re|ve|ll|d|m|t))$/, '')
  if (
    stopWords.has(plain) ||
    isFiller(plain) ||
    isCarrier(plain) ||
    weightOf(toConcept(plain)) < 1 ||
    known.has(toConcept(plain)) ||
    isRelated(reading.phrases.get(start) ?? toConcept(plain), related)
  )
    return false
  if (plain === 'first' && /est\s+$/.test(masked.slice(0, start))) return false
  if (plain.includes('-') || plain.includes('/')) return true
  const isSpoken =
    start === words[0]?.start ||
    /\b(?:i|we|they|he|she)\s+$/i.test(masked.slice(Math.max(0, start - 6), start))
  return !(isSpoken && isVerb(plain))
}

// The values that are lost when nothing uses them.
function valuesOf(reading: Reading): Span[] {
  const { masked } = reading
  return [
    ...reading.numbers.filter((one) => isIndependentNumber(one, reading) && !isPronoun(masked, one)),
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
        .every((word) => stopWords.has(word) || isFiller(word)),
    ),
    ...reading.tokens.filter(({ value }) => !/^\d+$/.test(value)),
  ]
}

// "The first one", "one of them" and "this one" are no numbers.
function isPronoun(masked: string, { start, end }: Span): boolean {
  return /^one$/i.test(masked.slice(start, end))
}
