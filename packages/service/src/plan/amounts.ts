import { currencies, currencyCodes } from './nations.js'
import type { FoundNumber } from './numbers.js'
import type { Span } from './read-clause.js'
import type { Slot } from './slots.js'

/** Names of parameters for amounts of money. */
export const moneyNames =
  /\b(?:amount|price|cost|budget|money|value|fee|total|salary|sum|pay|rent|deposit|wage|fare|rate|premium|balance|limit|donation|discount|refund|bid|offer|income|revenue|payment|charge|fine)\b/

/** Names of parameters that count things. */
export const quantityNames =
  /^(?:n|qty|count|number|quantity|limit|how many|amount|units?|copies|seats|tickets|pieces)$|\b(?:quantity|qty|count|size)\b/

/** A unit next to a number, for a slot. */
interface Unit {
  /** Converts to the unit of the slot. */
  readonly factor: number
  readonly isKnown: boolean
  /** Whether the slot is in units of the same kind. */
  readonly isOwn: boolean
  /** The number of characters that belong to the number. */
  readonly length: number
}

/** Returns the unit of a number for a slot, or undefined when the slot takes another kind of quantity. */
export function unitOf(slot: Slot, { start, end }: Span, masked: string): Unit | undefined {
  const [whole = '', word = ''] = /^[\s-]?(°?[\p{L}°]+)/u.exec(masked.slice(end, end + 30)) ?? []
  const isShort = /^(?:m|in|g|l|c|f|t)$/i.test(word)
  const isLone = isShort && whole !== word && !/^(?:\W|$)/.test(masked.slice(end + whole.length).trimStart())
  const said = isLone ? undefined : units.get(word.toLowerCase())
  const own = slotUnit(slot)
  if (!said || start === end) return { factor: 1, isKnown: false, isOwn: false, length: 0 }
  const isDegree = said.kind === 'temperature' && said.size === 0
  if (!own) return { factor: 1, isKnown: true, isOwn: false, length: isDegree ? whole.length : 0 }
  if (said.kind !== own.kind) return undefined
  if (said.kind === 'temperature') {
    return said.size === own.size || said.size === 0
      ? { factor: 1, isKnown: true, isOwn: true, length: whole.length }
      : undefined
  }
  return { factor: said.size / own.size, isKnown: true, isOwn: true, length: whole.length }
}

function slotUnit({ words, description }: Slot): { kind: string; size: number } | undefined {
  const named = words.split(/\s+/).map((word) => units.get(word))
  const told = (description.match(/\b(?:in|of) (\p{L}+)|\((\p{L}+)\)/gu) ?? []).map((part) =>
    units.get(part.replace(/^(?:in|of) |[()]/g, '')),
  )
  return [...named, ...told].find((one) => one !== undefined)
}

const units = new Map(
  (
    [
      ['mass', 1, 'kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes'],
      ['mass', 0.001, 'g gram grams gramme grammes'],
      ['mass', 0.000001, 'mg milligram milligrams'],
      ['mass', 1000, 't ton tons tonne tonnes'],
      ['mass', 0.45359237, 'lb lbs'],
      ['length', 1000, 'km kms kilometer kilometers kilometre kilometres'],
      ['length', 1, 'm meter meters metre metres'],
      ['length', 0.01, 'cm centimeter centimeters centimetre centimetres'],
      ['length', 0.001, 'mm millimeter millimeters millimetre millimetres'],
      ['length', 1609.344, 'mi mile miles'],
      ['length', 0.3048, 'ft foot feet'],
      ['volume', 1, 'l liter liters litre litres'],
      ['volume', 0.001, 'ml milliliter milliliters millilitre millilitres'],
      ['temperature', 1, '°c c celsius centigrade'],
      ['temperature', 2, '°f f fahrenheit'],
      ['temperature', 0, '° degree degrees'],
      ['energy', 1, 'kwh'],
      ['area', 1, 'ha hectare hectares'],
    ] as const
  ).flatMap(([kind, size, words]) => words.split(' ').map((word) => [word, { kind, size }] as const)),
)

/** The sign or the word that makes a number an amount of money. */
interface Money {
  readonly isMoney: boolean
  readonly before: string
  readonly after: string
}

/** Returns the currency beside a number. */
export function moneyOf({ start, end }: Span, text: string): Money {
  const [before = ''] =
    /(?:\b(?:at|for|of|to|by)\s+)?[$€£¥]\s?$/.exec(text.slice(Math.max(0, start - 8), start)) ?? []
  const [whole = '', word = ''] = /^\s*([$€£¥]|\p{L}+)/u.exec(text.slice(end, end + reach)) ?? []
  const name = word.toLowerCase().replace(/s$/, '')
  const after = currencyCodes.has(word) || Object.hasOwn(currencies, name) ? whole : ''
  const [each = ''] = /^\s+(?:each|apiece|per \w+)\b/i.exec(text.slice(end + after.length, end + reach)) ?? []
  return { isMoney: before !== '' || after !== '', before, after: after + each }
}

// The number of characters beside a number that are searched.
const reach = 40

/** Whether a number is a price per unit: "at 45", "45 each". */
export function isPriceOfOne({ start, end }: Span, text: string): boolean {
  const before = text.slice(Math.max(0, start - 4), start)
  return /(?:\bat|@)\s*$/.test(before) || /^\s+(?:each|apiece)\b/.test(text.slice(end, end + 10))
}

/** Returns the side of a number that is a limit: "between 50 and 100", "under 800", "at least 3". */
export function boundOf({ start, end }: FoundNumber, text: string): 'min' | 'max' | undefined {
  const before = text.slice(Math.max(0, start - 60), start)
  const after = text.slice(end, end + 60)
  if (
    lead('at least|over|above|more than|from|minimum(?: of)?|min|starting at|bigger than|larger than').test(
      before,
    )
  )
    return /\bfrom\s*$/i.test(before) && !upTo.test(after) ? undefined : 'min'
  if (lead(limits).test(before) || /^\s*(?:\S+\s+)?(?:max|at most|or less|or under)\b/.test(after))
    return 'max'
  if (lead('between').test(before)) return 'min'
  return range.test(before) ? 'max' : undefined
}

const limits =
  'at most|under|below|less than|up to|no more than|not more than|maximum(?: of)?|max|cheaper than|within'

/** Returns the words before a number that make it a limit. They belong to the number. */
export function boundLead(before: string): string {
  return lead(`between|at least|over|above|more than|${limits}`).exec(before)?.[0] ?? ''
}

const lead = (words: string) => new RegExp(`\\b(?:${words})\\s*[$€£]?\\s*$`, 'i')
const upTo = /^[^.;]{0,20}\b(?:to|and)\b/
const range = /\b(?:between|from)\s+[$€£]?[\d.,]+\s*(?:\p{L}+\s+)?(?:and|to)\s+[$€£]?\s*$/iu
