import { fillArguments } from './fill-arguments.js'
import type { Scene } from './scene.js'
import type { Slot } from './slots.js'

/**
 * The arguments of a call that is demanded: what the clause does not say is taken from its words, or is the least that
 * the schema takes. Addresses, ids and the like are left out all the same: made-up ones would do harm.
 */
export function completeArguments(slots: readonly Slot[], scene: Scene): Record<string, unknown> {
  const { arguments: args } = fillArguments(slots, scene)
  const entries = slots.flatMap((slot) => {
    if (Object.hasOwn(args, slot.name)) return [[slot.name, args[slot.name]] as const]
    const least = slot.required ? leastOf(slot, scene) : undefined
    return least === undefined ? [] : [[slot.name, least] as const]
  })
  return Object.fromEntries(entries)
}

function leastOf({ kind, schema, choices, inner }: Slot, scene: Scene): unknown {
  if (kind === 'choice') return choices[0]?.value
  if (kind === 'number') return leastNumber(schema)
  if (kind === 'date') return scene.reading.today
  if (kind === 'object') return completeArguments(inner, { ...scene, tool: { ...scene.tool, slots: inner } })
  if (kind === 'list') return Number(schema.minItems) > 0 ? undefined : []
  return /^(?:text|place|person|path|symbol|language|expression)$/.test(kind) ? scene.reading.text : undefined
}

function leastNumber({ minimum, exclusiveMinimum, maximum }: Slot['schema']): number {
  if (typeof minimum === 'number') return minimum
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1
  return typeof maximum === 'number' && maximum < 0 ? maximum : 0
}
