import type { Span } from './read-clause.js'
import type { Picked, Scene } from './scene.js'
import { free, widen } from './scene.js'
import type { Slot } from './slots.js'
import { splitName, toConcept, toConcepts } from './words.js'

/** Chooses the value of a list that the clause mentions, by its words or by words that mean the same. */
export function pickChoice(slot: Slot, scene: Scene): Picked | undefined {
  const mentions = toMentions(slot, scene)
  const mention = slot.role === 'to' ? mentions.at(-1) : mentions[0]
  return mention && { value: mention.value, spans: [withSlotName(mention, slot, scene)] }
}

/** Every value of the list that the clause mentions, in the order of the clause. */
export function pickChoices(slot: Slot, scene: Scene): Picked | undefined {
  const mentions = toMentions(slot, scene)
  const values = mentions.map(({ value }) => value)
  return values.length > 0 ? { value: values, spans: mentions } : undefined
}

/** True when the clause speaks of the slot, false when it says so with "no", "without" or "off". */
export function pickFlag(slot: Slot, { reading }: Scene): Picked | undefined {
  const { masked } = reading
  if (switches.test(slot.words)) {
    const match = /\b(?:on|enable|activate|off|disable|deactivate)\b/i.exec(masked)
    return match ? { value: !/off|disable|deactivate/i.test(match[0]), spans: [] } : undefined
  }
  const words = [...masked.matchAll(/[\p{L}]+/gu)]
  const spoken = words.find((word) => slot.nameConcepts.has(toConcept(word[0])))
  if (!spoken) return undefined
  const before = masked.slice(0, spoken.index)
  const denial = /\b(?:no|not|without|don['’]?t|non|never|skip)\s+(?:\w+\s+)?$/i.exec(before)
  const start = denial?.index ?? spoken.index
  return { value: !denial, spans: [{ start, end: spoken.index + spoken[0].length }] }
}

const switches = /^(?:is )?(?:on|enabled?|active|power|powered|state)$/

type Mention = Span & { readonly value: unknown }

function toMentions(slot: Slot, scene: Scene): Mention[] {
  const { masked } = scene.reading
  const values: unknown[] = Array.isArray(slot.schema.enum) ? slot.schema.enum : []
  const words = [...masked.matchAll(/[\p{L}\p{N}+#]+/gu)].map((match) => ({
    word: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }))
  const found = values.flatMap((value) => {
    const written = splitName(String(value)).toLowerCase()
    const whole = masked
      .toLowerCase()
      .search(new RegExp(`(?<![\\p{L}\\p{N}])${toLiteral(written)}(?![\\p{L}\\p{N}])`, 'u'))
    if (whole >= 0) return [{ value, start: whole, end: whole + written.length }]
    const concepts = toConcepts(written)
    const word = words.find((one) => concepts.size === 1 && concepts.has(toConcept(one.word)))
    return word ? [{ value, start: word.start, end: word.end }] : []
  })
  return free(scene, found).sort((one, other) => one.start - other.start)
}

// "with high priority" is one thing said, its preposition and the slot's name included.
function withSlotName(mention: Mention, slot: Slot, { reading }: Scene): Span {
  const { start, end } = widen(mention, reading.text)
  const [, name = ''] = /^(\s+\p{L}+)/u.exec(reading.masked.slice(end)) ?? []
  return slot.nameConcepts.has(toConcept(name.trim())) ? { start, end: end + name.length } : { start, end }
}

function toLiteral(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
