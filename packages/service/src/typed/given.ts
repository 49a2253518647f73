import type { Span } from '../plan/clauses.js'
import { cueOf, type FillContext } from '../plan/fill-context.js'
import { leads } from '../plan/free-words.js'
import { choiceMentions } from '../plan/mentions.js'
import { toNumbers } from '../plan/number-candidates.js'
import { toPair } from '../plan/pairs.js'
import type { Slot } from '../plan/planner-tool.js'
import { isPersonal, takesSentences, toIntroduced } from '../plan/text-candidates.js'
import { countryCode, toConcept } from '../plan/words.js'

/**
 * Whether text states the value of a parameter. The form of the value or the words next to it must show this. Its
 * position alone is not enough.
 */
export function isGiven(slot: Slot, value: unknown, context: FillContext): boolean {
  if (slot.schema.default !== undefined && value === slot.schema.default) return true
  if (value === null) return slot.nullable
  switch (slot.kind) {
    case 'number':
      return isGivenNumber(slot, value, context)
    case 'choice':
      return choiceMentions(slot, context.reading).some((one) => one.value === value && one.role > -0.6)
    case 'date':
      return !/\bbirth|\bborn/.test(slot.words) || /\b(?:born|birth)/i.test(context.reading.masked)
    case 'text':
    case 'person':
    case 'place':
      return isGivenText(slot, String(value), context)
    default:
      return true
  }
}

// Matches "41 years old", "5 stars", and items of a list such as "Ada, ada@example.com, 36".
function isGivenNumber(slot: Slot, value: unknown, context: FillContext): boolean {
  const { reading } = context
  const found = toNumbers(slot, context).filter((one) => one.value === value)
  if (found.some(({ score }) => score >= 1)) return true
  const isCued = (one: Span) =>
    isOwn(
      slot,
      /(\p{L}+)\s+(?:in|of|on|at)\s+$/u.exec(
        reading.masked.slice(Math.max(0, one.start - 40), one.start),
      )?.[1],
    )
  const isAge = slot.core.has('ag') || /\bage\b/.test(slot.words)
  return reading.numbers.some(
    (one) =>
      one.value === value &&
      (standsAlone(one, reading.masked) ||
        isCued(one) ||
        (isAge && ageLead.test(reading.masked.slice(0, one.start)))),
  )
}

function isOwn({ core }: Slot, word = ''): boolean {
  return core.has(toConcept(word))
}

const ageLead = /(?:\b(?:am|is|aged|turned|turns)|['’](?:m|s))\s+$/i

function standsAlone({ start, end }: Span, text: string): boolean {
  return (
    /(?:^|[,;|\n])\s*$/.test(text.slice(0, start)) && /^\s*(?:$|[,;|\n]|\.(?:\s|$))/.test(text.slice(end))
  )
}

function isGivenText(slot: Slot, value: string, context: FillContext): boolean {
  const { reading } = context
  if (reading.quotes.some((quote) => quote.value === value)) return true
  // An excerpt of text is not a summary of it.
  if (/\bsummary\b/.test(slot.words)) return false
  const start = reading.text.indexOf(value)
  if (start < 0) return false
  const span = { start, end: start + value.length }
  const before = reading.masked.slice(Math.max(0, start - 40), start)
  // In "the capital of France", France is not the value.
  if (cueOf(slot, span, reading).weight >= 2 && !/\bof\s+$/.test(before)) return true
  // Matches "its headquarters in Bergen".
  if (isOwn(slot, /(\p{L}+)\s+(?:in|at|on|by)\s+$/u.exec(before)?.[1])) return true
  if ([...toIntroduced(slot, context), ...toPair(slot, context)].some((one) => one.value === value))
    return true
  const [, lead = ''] = /\b(\p{Ll}+)\s+(?:(?:the|a|an|my|our)\s+)?["“]?$/u.exec(before) ?? []
  const isLed = Object.hasOwn(leads, lead) && leads[lead]?.test(slot.words)
  // "I want to travel" does not contain a place.
  if (isLed && (lead !== 'to' || /^[\p{Lu}\p{N}]/u.test(value))) return true
  if (takesSentences.test(slot.words)) return false
  const isName = reading.names.some((name) => ` ${name.value} `.includes(` ${value} `))
  if (isName && takesNames(slot, value)) return true
  // Matches "2 large pizzas" and "order pizza".
  return slot.kind === 'text' && /\b\d+\s+(?:x\s+)?(?:\p{L}+\s+){0,2}$/u.test(before)
}

function takesNames(slot: Slot, value: string): boolean {
  if (/\bcountry\b/.test(slot.words)) return countryCode(value) !== undefined
  return slot.kind !== 'text' || isPersonal(slot) || named.test(slot.words)
}

const named =
  /\b(?:name|brand|product|item|payer|payee|buyer|seller|sender|receiver|recipient|caller|player|winner|manager|lead|applicant|reporter|reviewer|speaker|signer|holder|nurse)\b/
