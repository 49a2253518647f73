import type { Found } from './quotes.js'
import type { Picked, Scene } from './scene.js'
import { free, pickListed, widen } from './scene.js'
import type { Slot } from './slots.js'
import { withoutToolWords } from './subject.js'

/** Chooses a place: a name behind a fitting preposition, any name left, or the words behind the preposition. */
export function pickPlace(slot: Slot, scene: Scene): Picked | undefined {
  const { reading } = scene
  const names = free(scene, reading.names)
  const led = names.find((name) => leadsTo(slot, reading.masked.slice(0, name.start)))
  const open =
    slot.required && names.find((name) => !claimedElsewhere(slot, reading.masked.slice(0, name.start)))
  const name = led ?? (open || undefined)
  if (name) return pickListed(name, names, reading.text)
  const phrase = phraseBehind(slot, scene)
  if (phrase) return { value: phrase.value, spans: [widen(phrase, reading.text)] }
  const alone = slot.role === undefined && slot.required && withoutToolWords(scene)
  return alone && /^[\p{L}' -]{2,30}$/u.test(alone) && alone.split(' ').length <= 3
    ? { value: alone, spans: [] }
    : undefined
}

/** Chooses a person: a name behind "with", "to", "for" or "by", else any name left for a required slot. */
export function pickPerson(slot: Slot, scene: Scene): Picked | undefined {
  const { reading } = scene
  const names = free(scene, reading.names)
  const led = names.find((name) =>
    /\b(?:with|to|for|by|invite|and|tell|message)\s+$/i.test(reading.text.slice(0, name.start)),
  )
  const name = led ?? (slot.required ? names[0] : undefined)
  return name && pickListed(name, names, reading.text)
}

/** Chooses a stock symbol or another short word in capitals; a required one may be a plain name. */
export function pickSymbol(slot: Slot, scene: Scene): Picked | undefined {
  const { reading } = scene
  const symbols = free(scene, reading.symbols)
  const names = slot.required ? free(scene, reading.names) : []
  const [all, one] = symbols[0] ? [symbols, symbols[0]] : [names, names[0]]
  return one && pickListed(one, all, reading.text)
}

const leads = { from: /\bfrom\s+(?:the\s+)?$/i, to: /\b(?:to|into|in|for|at)\s+(?:the\s+)?$/i }
const anyLead = /\b(?:in|at|near|around|for|of|to|from)\s+(?:the\s+)?$/i

function leadsTo({ role }: Slot, before: string): boolean {
  return (role ? leads[role] : anyLead).test(before)
}

function claimedElsewhere({ role }: Slot, before: string): boolean {
  return role !== undefined && leads[role === 'from' ? 'to' : 'from'].test(before)
}

// "in the living room", "near oslo": what follows the preposition up to the next one.
function phraseBehind({ role }: Slot, scene: Scene): Found<string> | undefined {
  const preposition = role === 'from' ? 'from' : role === 'to' ? 'to|into' : 'in|at|near|around'
  const phrase = new RegExp(
    `\\b(?:${preposition})\\s+(?:(?:the|my|our)\\s+)?([\\p{L}' -]+?)(?=\\s+(?:${stops})\\b|[^\\p{L}' -]|$)`,
    'giu',
  )
  const found = [...scene.reading.masked.matchAll(phrase)].map((match) => {
    const value = match[1] ?? ''
    const start = match.index + match[0].length - value.length
    return { value, start, end: start + value.length }
  })
  return free(scene, found).find(
    ({ value }) => !/^(?:it|them|this|that|me|us|a|an|celsius|fahrenheit|which|what)\b/i.test(value),
  )
}

const stops =
  'in|on|at|to|from|for|by|with|and|or|about|near|like|is|right|now|today|tonight|tomorrow|this|next|please'
