import { isRecord } from '../json.js'
import { onceFor } from '../plan/clauses.js'
import { fillArguments } from '../plan/fill-arguments.js'
import type { FillContext } from '../plan/fill-context.js'
import { keepValues } from '../plan/keep-values.js'
import type { Slot } from '../plan/planner-tool.js'
import { isTextual, takesSentences } from '../plan/text-candidates.js'
import { isRelated, splitName, toConcept } from '../plan/words.js'
import type { LabelledPart } from './labels.js'

export type Values = Readonly<Record<string, unknown>>

interface LabelUse {
  readonly parts: readonly LabelledPart[]
  /** Collects the text that follows a value, such as "born 1990-04-12" in "Last name: Yusuf, born 1990-04-12". */
  readonly behind: string[]
  /** Fills the fields of an object from text. */
  readonly fill: (slots: readonly Slot[], text: string) => Values
  readonly contextOf: (slots: readonly Slot[], text: string) => FillContext
}

/**
 * Fills parameters with the values that follow labels. Each parameter gets the value whose label matches its name best.
 */
export function fillNamed(slots: readonly Slot[], { parts, behind, ...use }: LabelUse): Values {
  const pairs = leavesOf(slots).flatMap(({ path, slot }) =>
    parts.map((part) => ({ path, slot, part, weight: weightOfLabel(slot, part.label) })),
  )
  const left = new Set(parts)
  let values: Values = {}
  for (const { path, slot, part, weight } of pairs.sort((one, other) => other.weight - one.weight)) {
    if (weight <= 0 || !left.has(part) || at(values, path) !== undefined) continue
    const value = valueFor(slot, part, use)
    if (value === undefined) continue
    left.delete(part)
    // In "Last name: Yusuf, born 1990-04-12", collects the text after the value.
    if (!takesWhole(slot)) behind.push(part.value.split(/,\s+/).slice(1).join(', '))
    values = withValue(values, path, value)
  }
  return values
}

interface Leaf {
  readonly path: readonly string[]
  readonly slot: Slot
}

// Objects are leaves too, as in "Address: Paris, 75001".
function leavesOf(slots: readonly Slot[], path: readonly string[] = []): Leaf[] {
  return slots.flatMap((slot) => {
    const own = [...path, slot.name]
    const inner = slot.kind === 'object' ? leavesOf(slot.inner, own) : []
    return [{ path: own, slot }, ...inner]
  })
}

/** Returns how well a label matches the name of the parameter that it fits best, from 0 (not at all) to 4 (exactly). */
export function weightIn(slots: readonly Slot[], label: string): number {
  return Math.max(0, ...leavesOf(slots).map(({ slot }) => weightOfLabel(slot, label)))
}

/** Returns how well a label matches the name of a parameter, from 0 (not at all) to 4 (exactly). */
function weightOfLabel(slot: Slot, label: string): number {
  const words = plainWords(label)
  const { own, core } = namesOf(slot)
  if (words.length === 0) return 0
  if (words.join('') === own.join('')) return 4
  // "Sensor A7" is the name of one sensor, not of the parameter.
  if (words.some((word) => /\d/.test(word) && !own.includes(word))) return 0
  // "Summarize: the sea is blue" is a task.
  if (words.length === 1 && /(?:[iy][sz]e|ify)$/.test(words[0] ?? '')) return 0
  const said = words.map(toConcept)
  if (said.length === core.length && said.every((one) => core.includes(one))) return 3
  if (slot.kind === 'email' && words.every((word) => /^(?:e|mail|email|address|contact)$/.test(word)))
    return 2.5
  if (slot.kind === 'phone' && words.some((word) => /^(?:tel|telephone|phone|mobile|cell)$/.test(word)))
    return 2.5
  const last = said.findLastIndex((one) => core.includes(one))
  // "Guest name" is a label for the guest, but "guest Ada" is not.
  const isOwn = words.slice(last + 1).every((word) => labelEnds.test(word))
  if (core.length > 0 && core.every((one) => said.includes(one)) && said.length <= core.length + 2)
    return isOwn ? 2 : 0
  if (said.every((one) => core.includes(one)) && said.some((one) => slot.core.has(one))) return 2
  if (said.length === 1 && said.every((one) => isRelated(one, slot.coreGroups))) return 1
  return said.length === 1 && said.every((one) => slot.textConcepts.has(one)) ? 0.5 : 0
}

const namesOf = onceFor(({ words }: Slot) => {
  const own = plainWords(words)
  return { own, core: own.map(toConcept) }
})

const labelEnds = /^(?:names?|id|no|number|address|date|time|code|type|level|count|value|amount)$/

function plainWords(name: string): readonly string[] {
  return wordsOf(name, () => toWords(name))
}

const wordsOf = keepValues<readonly string[]>(1000, 80)

function toWords(name: string): string[] {
  return splitName(name)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !/^(?:the|a|an|my|our|your|his|her|their|its|of)$/.test(word))
}

/**
 * Returns a label's value for a parameter. Undefined if the value does not have the form that the parameter requires.
 */
function valueFor(
  slot: Slot,
  { label, value, isSaid }: LabelledPart,
  use: Pick<LabelUse, 'fill' | 'contextOf'>,
): unknown {
  if (noValue.test(value) && !/^(?:choice|flag)$/.test(slot.kind)) return undefined
  if (slot.kind === 'number' && spacedNumber.test(value))
    return fitting(slot, Number(value.replace(/\s/g, '').replace(',', '.')))
  if (slot.kind === 'object') {
    const inner = use.fill(slot.inner, value)
    return isWhole(slot, inner) ? inner : inPlace(slot, value)
  }
  if (isPlainText(slot)) {
    const text = takesWhole(slot) ? value : value.split(/,\s/)[0]
    // "The customer is unhappy" does not contain the customer's name.
    const isName = /^["“]?[\p{Lu}\p{N}]/u.test(value) || /^my\b/i.test(label)
    return text !== undefined && slot.accepts(text) && (!isSaid || isName) ? text : undefined
  }
  if (slot.kind === 'list' && isPlainText(slot.inner[0])) {
    const items = value.split(/\s*[,;]\s*(?:and\s+)?|\s+and\s+/).filter((item) => item !== '')
    return slot.accepts(items) ? items : undefined
  }
  if (slot.kind === 'flag') return switchOf(value)
  if (slot.kind === 'phone' && /^\+?\d[\d ()/-]*$/.test(value)) return value
  if (slot.kind === 'choice') {
    const same = slot.choices.find((one) => one.written === splitName(value).toLowerCase())
    if (same) return same.value
  }
  const wanted = { ...slot, required: true }
  const filled = fillArguments([wanted], use.contextOf([wanted], `${slot.words}: ${value}`))
  const found = filled.arguments[slot.name]
  if (found !== undefined && filled.given.has(slot.name)) return found
  return isTextual(slot) && /^\S+$/.test(value) && slot.accepts(value) ? value : undefined
}

function fitting({ accepts }: Slot, value: unknown): unknown {
  return accepts(value) ? value : undefined
}

const noValue = /^(?:n\/?a|none|unknown|not known|tbd|null|-+|\?+)$/i
const spacedNumber = /^\d{1,3}(?:[\s\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?$/

// "Paris, 75001" has as many parts as the object has fields.
function inPlace({ inner }: Slot, value: string): Values | undefined {
  const parts = value.split(/\s*,\s*/)
  if (parts.length !== inner.length || !inner.every(isPlainText)) return undefined
  const entries = inner.flatMap((slot) => {
    const index = parts.findIndex((part) => fitsName(slot, part))
    return index < 0 ? [] : [[slot.name, ...parts.splice(index, 1)] as const]
  })
  return parts.length === 0 ? Object.fromEntries(entries) : undefined
}

function fitsName({ words, kind, accepts }: Slot, part: string): boolean {
  const hasDigit = /\d/.test(part)
  if (/\b(?:zip|post(?:al)?|postcode|number)\b/.test(words)) return hasDigit && accepts(part)
  return !(hasDigit && (kind === 'place' || /\bname\b/.test(words))) && accepts(part)
}

// Sentences, addresses and dates contain commas.
function takesWhole({ kind, words }: Slot): boolean {
  return /^(?:list|object|date|moment)$/.test(kind) || takesSentences.test(words) || /address/.test(words)
}

/** Whether a parameter takes plain text, which has no form to recognize it by. */
export function isPlainText(slot: Slot | undefined): boolean {
  return slot !== undefined && /^(?:text|person|place)$/.test(slot.kind)
}

function switchOf(value: string): boolean | undefined {
  if (/^(?:yes|true|on|y|enabled|x|✓|✔)$/i.test(value)) return true
  return /^(?:no|false|off|n|none|disabled|✗|✘)$/i.test(value) ? false : undefined
}

function isWhole(slot: Slot, values: Values): boolean {
  return slot.inner.every(({ name, required }) => !required || values[name] !== undefined)
}

// Reads own properties only, because a parameter may be named "__proto__".
function at(values: unknown, [first = '', ...rest]: readonly string[]): unknown {
  const own = isRecord(values) && Object.hasOwn(values, first) ? values[first] : undefined
  return rest.length === 0 ? own : at(own, rest)
}

function withValue(values: Values, [first = '', ...rest]: readonly string[], value: unknown): Values {
  const before = at(values, [first])
  const own = rest.length === 0 ? value : withValue(isRecord(before) ? before : {}, rest, value)
  return Object.fromEntries([...Object.entries(values), [first, own]])
}
