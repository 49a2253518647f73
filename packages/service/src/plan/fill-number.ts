import { secondsIn } from './dates.js'
import { type FillContext, free, isIndependentNumber, type Picked, widen } from './fill-context.js'
import { currencies, currencyCodes } from './nations.js'
import type { FoundNumber } from './numbers.js'
import type { Span } from './read-clause.js'
import type { Slot } from './slots.js'
import { toConcept, toConcepts } from './words.js'

/**
 * Chooses the number for a slot: one whose neighbours name the slot. Without such a cue, a required slot
 * takes the first.
 */
export function pickNumber(slot: Slot, context: FillContext): Picked | undefined {
  const duration = pickDuration(slot, context)
  if (duration) return duration
  const candidates = free(context, context.reading.numbers)
    .filter((number) => isIndependentNumber(number, context.reading))
    .map((number) => ({ number, cue: cueBetween(slot, number, context) }))
    .filter(({ number }) => fits(slot, number.value))
  const best = candidates.reduce<(typeof candidates)[number] | undefined>(
    (top, one) => (one.cue > (top?.cue ?? 0) ? one : top),
    undefined,
  )
  const chosen =
    best ??
    (slot.required
      ? candidates.find(({ number, cue }) => cue === 0 && !namesOtherSlot(slot, number, context))
      : undefined)
  if (!chosen) return undefined
  const { number } = chosen
  const spans = [withBound(number, context), unitAfter(slot, number, context), withMoney(number, context)]
  return { value: number.value, spans }
}

// "An hour and a half" is 90 for a slot in minutes.
function pickDuration(slot: Slot, context: FillContext): Picked | undefined {
  const unit = secondsIn([...slot.nameConcepts, ...slot.textConcepts])
  if (unit === undefined) return undefined
  const found = free(context, context.reading.durations).find(({ value }) => fits(slot, value / unit))
  return found && { value: found.value / unit, spans: [widen(found, context.reading.text)] }
}

// The number of characters around a number that are searched for cues.
const reach = 40

function cueBetween(slot: Slot, number: FoundNumber, { reading, tool }: FillContext): number {
  const { start, end } = number
  const bound = boundOf(number, reading.masked)
  const side = /\b(?:max|maximum|highest|most|upper|until)\b/.test(slot.words)
    ? 'max'
    : /\b(?:min|minimum|lowest|least|lower)\b/.test(slot.words) && !/minutes?/.test(slot.words)
      ? 'min'
      : undefined
  if (bound && side) return bound === side ? 4 : -1
  const after = concepts(reading.masked.slice(end, end + reach), 2)
  const before = concepts(reading.masked.slice(Math.max(0, start - reach), start), -2)
  if ([...after, ...before].some((concept) => slot.nameConcepts.has(concept))) return 3
  const counts = /^(?:n|count|number|quantity|limit|how many|amount)$/.test(slot.words)
  if (counts && tool.nameConcepts.has(after[0] ?? '')) return 3
  const isPrice = isMoney(number, reading.text)
  if ((isPrice || isPriceOfOne(number, reading.masked)) && moneyNames.test(slot.words)) return 3
  if (isPrice && tool.slots.some((other) => other.kind === 'number' && moneyNames.test(other.words)))
    return -1
  // "The last 10 shipped orders": the counted noun follows one word later.
  const counted = concepts(reading.masked.slice(end, end + reach), 3)
  if (counts && counted.some((concept) => tool.nameConcepts.has(concept))) return 2
  if (after.some((concept) => slot.textConcepts.has(concept))) return 2
  if (/^\s*%/.test(reading.text.slice(end)) && /percent|rate/.test(slot.words)) return 2
  return 0
}

function withBound(number: FoundNumber, { reading }: FillContext): Span {
  const span = widen(number, reading.text)
  const lead = boundLead(reading.text.slice(Math.max(0, number.start - reach), number.start))
  return { start: Math.min(span.start, number.start - lead.length), end: span.end }
}

// A number whose neighbours name another slot is left to that slot.
function namesOtherSlot(slot: Slot, number: FoundNumber, context: FillContext): boolean {
  const others = context.tool.slots.filter((other) => other.kind === 'number' && other.name !== slot.name)
  return others.some((other) => cueBetween(other, number, context) > 0)
}

function concepts(text: string, count: number): string[] {
  const all = (text.split(/[,.;:!?]/).at(count > 0 ? 0 : -1) ?? '').match(/[\p{L}]+/gu) ?? []
  const near = count > 0 ? all.slice(0, count) : all.slice(count)
  return near.flatMap((word) => [...toConcepts(word)])
}

// The unit or the counted noun belongs to the number: "5 results", "40 percent".
function unitAfter(slot: Slot, { end }: FoundNumber, { reading }: FillContext): Span {
  const rest = reading.masked.slice(end, end + reach)
  const [counted = '', noun = ''] = /^\s+(\p{L}+)/u.exec(rest) ?? []
  if (slot.nameConcepts.has(toConcept(noun)) || slot.textConcepts.has(toConcept(noun)))
    return { start: end, end: end + counted.length }
  const [unit = ''] = /^\s*(?:%|percent\b|degrees?\b|(?:seconds?|minutes?|hours?|days?)\b)?/i.exec(rest) ?? []
  return { start: end, end: end + unit.length }
}

function fits({ schema }: Slot, value: number): boolean {
  if (schema.type === 'integer' && !Number.isInteger(value)) return false
  return !(Number(schema.minimum) > value) && !(Number(schema.maximum) < value)
}

/** Returns the side of a number that is a limit: "between 50 and 100", "under 800", "at least 3". */
function boundOf({ start, end }: Span, text: string): 'min' | 'max' | undefined {
  const before = text.slice(Math.max(0, start - limitReach), start)
  const after = text.slice(end, end + limitReach)
  if (lead('at least|over|above|more than|from|minimum(?: of)?|min|starting at').test(before))
    return /\bfrom\s*$/i.test(before) && !upTo.test(after) ? undefined : 'min'
  if (
    lead('at most|under|below|less than|up to|no more than|maximum(?: of)?|max|cheaper than|within').test(
      before,
    )
  )
    return 'max'
  if (lead('between').test(before)) return 'min'
  return range.test(before) ? 'max' : undefined
}

/** Returns the words before a number that make it a limit. They belong to the number. */
function boundLead(before: string): string {
  return (
    lead(
      'between|at least|over|above|more than|at most|under|below|less than|up to|no more than|cheaper than|within',
    ).exec(before)?.[0] ?? ''
  )
}

const limitReach = 60
const lead = (words: string) => new RegExp(`\\b(?:${words})\\s*[$€£]?\\s*$`, 'i')
const upTo = /^[^.;]{0,20}\b(?:to|and)\b/
const range = /\b(?:between|from)\s+[$€£]?[\d.,]+\s*(?:\p{L}+\s+)?(?:and|to)\s+[$€£]?\s*$/iu

// The number of characters after a number that are searched for a currency.
const currencyReach = 40

/** Names of parameters for amounts of money. */
const moneyNames = /\b(?:amount|price|cost|budget|money|value|fee|total|salary|sum|pay)\b/

/** Whether a number is an amount of money: a currency sign precedes it or a currency follows. */
function isMoney({ start, end }: Span, text: string): boolean {
  return (
    /[$€£¥]\s*$/.test(text.slice(Math.max(0, start - 3), start)) ||
    currencyAfter(text.slice(end, end + currencyReach)) !== ''
  )
}

/** Whether a number is a price per unit: "at 45", "45 each". */
function isPriceOfOne({ start, end }: Span, text: string): boolean {
  const before = text.slice(Math.max(0, start - 4), start)
  return /\b(?:at|@)\s*$/.test(before) || /^\s+(?:each|apiece)\b/.test(text.slice(end, end + 10))
}

function currencyAfter(text: string): string {
  const [whole = '', word = ''] = /^\s*([$€£¥]|\p{L}+)/u.exec(text) ?? []
  const name = word.toLowerCase().replace(/s$/, '')
  return currencyCodes.has(word) || Object.hasOwn(currencies, name) ? whole : ''
}

/** Extends a number by its currency, unless the tool has a slot for it. */
function withMoney({ start, end }: Span, { tool, reading }: FillContext): Span {
  const wanted = tool.slots.some(({ kind, words }) => kind === 'currency' || /currency/.test(words))
  if (wanted) return { start, end }
  const [sign = ''] =
    /(?:\b(?:at|for|of)\s+)?[$€£¥]\s?$/.exec(reading.masked.slice(Math.max(0, start - 8), start)) ?? []
  const said = currencyAfter(reading.masked.slice(end, end + currencyReach))
  const rest = reading.masked.slice(end + said.length, end + said.length + currencyReach)
  const [each = ''] = /^\s+(?:each|apiece)\b/i.exec(rest) ?? []
  return { start: start - sign.length, end: end + said.length + each.length }
}
