import { isRecord } from '../json.js'
import { readClause } from '../plan/clauses.js'
import { fillArguments } from '../plan/fill-arguments.js'
import { cueOf, type FillContext, toFillContext } from '../plan/fill-context.js'
import { flagMention } from '../plan/mentions.js'
import type { PlannerTool, Slot } from '../plan/planner-tool.js'
import { isPersonal } from '../plan/text-candidates.js'
import { currencyCodes } from '../plan/words.js'
import { fillNamed, isPlainText, type Values, weightIn } from './fill-from-labels.js'
import { isGiven } from './given.js'
import { readLabels } from './labels.js'
import { readLetter } from './letter.js'

/** The time and the artifacts to which text can refer. */
export interface TextOptions {
  readonly now: Date
  /** The ids of available artifacts, with the best match last. */
  readonly artifacts: readonly string[]
}

/** Fills a tool's parameters from text: first by labels, then by the form of values. Does not guess. */
export function fillFromText(tool: PlannerTool, text: string, options: TextOptions): Values {
  const letter = readLetter(text)
  const { parts, rest } = readLabels(letter.text, (label) => weightIn(tool.slots, label))
  const behind: string[] = []
  const named = fillNamed(tool.slots, {
    parts,
    behind,
    fill: (slots, inner) => fillFromText({ ...tool, slots }, inner, options),
    contextOf: (slots, inner) => contextOf({ tool, options }, slots, inner),
  })
  const signed = letter.signature === undefined ? {} : signedBy(tool.slots, named, letter.signature)
  const open = openSlots(tool.slots, { ...named, ...signed })
  const free = fillFree(open, [rest, ...behind].join('\n'), { tool, options })
  const values = merged(merged(free, signed), named)
  // In "Price: 49.90 EUR", the value of one label also contains a second value.
  const formed = openSlots(tool.slots, values).filter(isFormed)
  return merged(fillFree(formed, letter.text, { tool, options }), values)
}

function isFormed({ kind, choices }: Slot): boolean {
  const isCurrency = choices.length > 0 && choices.every(({ value }) => currencyCodes.has(String(value)))
  return isCurrency || /^(?:currency|email|phone|url)$/.test(kind)
}

interface Use {
  readonly tool: PlannerTool
  readonly options: TextOptions
}

function contextOf({ tool, options }: Use, slots: readonly Slot[], text: string): FillContext {
  return toFillContext(
    { ...tool, slots },
    readClause(
      text.replace(roles, (word) => word.toLowerCase()),
      options.now,
    ),
    options.artifacts,
  )
}

// In "Patient Amina Yusuf", the first word is not part of the name.
const roles = /\b(?:Patient|Customer|Client|Guest|Employee|Student|Member|User|Sender)\b(?=\s+\p{Lu})/gu

/**
 * Returns the signature as the value of the first parameter that takes a person and has no value yet. Empty if there is
 * none.
 */
function signedBy(slots: readonly Slot[], named: Values, signature: string): Values {
  const person = slots.find(
    (slot) =>
      named[slot.name] === undefined &&
      (isPersonal(slot) || /^(?:full )?name$|\b(?:sender|from|signed)\b/.test(slot.words)) &&
      slot.accepts(signature),
  )
  return person ? { [person.name]: signature } : {}
}

/** Returns the parameters without a value. For an object with a value, returns only its fields without one. */
function openSlots(slots: readonly Slot[], values: unknown): Slot[] {
  return slots.flatMap((slot) => {
    const own = isRecord(values) ? values[slot.name] : undefined
    if (own === undefined) return [slot]
    if (slot.kind !== 'object' || slot.inner.length === 0) return []
    const inner = openSlots(slot.inner, own)
    return inner.length > 0 ? [{ ...slot, inner }] : []
  })
}

function fillFree(slots: readonly Slot[], text: string, use: Use): Values {
  if (text === '' || slots.length === 0) return {}
  const context = contextOf(use, slots, text)
  const filled = fillArguments(slots, context)
  const codes = slots.filter(isPlainText).flatMap((slot) => {
    const code = context.reading.tokens.find((one) => cueOf(slot, one, context.reading).weight >= 2)
    return code && slot.accepts(code.value) ? [[slot.name, code.value] as const] : []
  })
  const flags = slots.flatMap((slot) => {
    const [flag] =
      slot.kind === 'flag' ? flagMention({ ...slot, words: bareFlag(slot) }, context.reading) : []
    return flag ? [[slot.name, flag.value] as const] : []
  })
  return { ...Object.fromEntries([...codes, ...flags]), ...keptOf(slots, filled.arguments, context) }
}

// Matches "I want a refund" for "refund wanted".
function bareFlag({ words }: Slot): string {
  return words.replace(
    /\s+(?:wanted|needed|required|included|requested|desired|allowed|accepted|enabled)$/,
    '',
  )
}

// Drops values that only their position supports.
function keptOf(slots: readonly Slot[], values: Readonly<Values>, context: FillContext): Values {
  const entries = slots.flatMap((slot): (readonly [string, unknown])[] => {
    const value = values[slot.name]
    if (value === undefined) return []
    if (slot.kind === 'object' && slot.inner.length > 0 && isRecord(value)) {
      const inner = keptOf(slot.inner, value, context)
      return Object.keys(inner).length > 0 ? [[slot.name, inner]] : []
    }
    return isGiven(slot, value, context) ? [[slot.name, withNumber(slot, withoutStop(value), context)]] : []
  })
  return Object.fromEntries(entries)
}

// Removes the full stop only if the value is one sentence.
function withoutStop(value: unknown): unknown {
  return typeof value === 'string' && value.indexOf('.') === value.length - 1 ? value.slice(0, -1) : value
}

// "Room 12" is a name that includes its number.
function withNumber({ kind, accepts }: Slot, value: unknown, { reading: { text } }: FillContext): unknown {
  if (kind !== 'place' || typeof value !== 'string') return value
  const [number = ''] =
    /^ \d{1,4}[a-z]?\b(?![:.,]?\d)/i.exec(text.slice(text.indexOf(value) + value.length)) ?? []
  return accepts(value + number) ? value + number : value
}

function merged(one: Values, other: Values): Values {
  const both = Object.entries(other).map(([name, value]) => {
    const before = Object.hasOwn(one, name) ? one[name] : undefined
    return [name, isRecord(before) && isRecord(value) ? merged(before, value) : value] as const
  })
  return Object.fromEntries([...Object.entries(one), ...both])
}
