import { type FillContext, type Picked, toFillContext } from './fill-context.js'
import { fillSlot } from './fill-slot.js'
import { pickAnnounced } from './fill-text.js'
import { readClause, type Span } from './read-clause.js'
import { kindsInOrder, type Slot, type SlotKind } from './slots.js'

/** Fills the parameters of a tool from a clause: the most specific first, free text last. */
export function fillArguments(slots: readonly Slot[], context: FillContext): Filled {
  const picks = new Map<string, Picked>()
  let current = context
  let evidence = 0
  let hardEvidence = 0
  const take = (slot: Slot, pick: Picked | undefined) => {
    if (!pick) return
    picks.set(slot.name, pick)
    current = {
      ...current,
      taken: [...current.taken, ...pick.spans.map((span) => withName(span, slot, context))],
    }
    const weight = weightOf(slot, pick, context)
    evidence += weight
    if (!soft.has(slot.kind)) hardEvidence += weight
  }
  const ordered = [...slots].sort((one, other) => rank(one) - rank(other))
  const texts = ordered.filter(({ kind }) => kind === 'text')
  const isLoose = ({ kind }: Slot) => kind === 'list' || kind === 'object'
  for (const slot of ordered.filter((one) => one.kind !== 'text' && !isLoose(one)))
    take(slot, fillOne(slot, current))
  for (const slot of texts) take(slot, pickAnnounced(slot, current))
  // Objects first: their remainder is a list.
  for (const slot of ordered.filter(isLoose).reverse()) take(slot, fillOne(slot, current))
  for (const slot of texts.filter(({ name }) => !picks.has(name))) take(slot, fillOne(slot, current))
  const values = new Map([...picks].map(([name, { value }]) => [name, value]))
  for (const slot of slots.filter(({ name, required }) => required && !values.has(name))) {
    const value = fallback(slot, texts, values)
    if (value !== undefined) values.set(slot.name, value)
  }
  const missing = slots.filter(({ name, required }) => required && !values.has(name))
  const given = new Set(picks.keys())
  const args = inOrder(slots, values)
  return {
    arguments: args,
    given,
    missing,
    evidence,
    hardEvidence,
    fan: toFan(slots, picks),
    spans: current.taken,
  }
}

// "size 512x512", "a maximum price of 30": the name belongs to the value.
function withName({ start, end }: Span, { words }: Slot, { reading }: FillContext): Span {
  const name = words.replace(/[^a-z0-9 ]/g, '')
  const lead = new RegExp(
    `(?:\\b(?:with|in|at|and)\\s+)?(?:\\b(?:a|the)\\s+)?\\b${name}(?:\\s+(?:of|is|to))?[\\s:=]*$`,
    'i',
  )
  const [taken = ''] = name === '' ? [] : (lead.exec(reading.masked.slice(0, start)) ?? [])
  return { start: start - taken.length, end }
}

// An address or a value of an enum is strong evidence; other values may be in the clause by chance.
const soft = new Set<SlotKind>(['place', 'person', 'date', 'time', 'moment'])
const strength: Partial<Record<SlotKind, number>> = { email: 1.5, phone: 1.5, url: 1.5, choice: 1.25 }

function weightOf({ kind, name, required }: Slot, { spans }: Picked, { operands }: FillContext): number {
  if (spans.length === 0 && !operands.has(name)) return 0
  if (kind === 'text') return required ? 0.5 : 0
  return (strength[kind] ?? 1) * (required ? 1 : 0.5)
}

// Required before optional within a kind, so that the only date fills the required slot.
function rank({ kind, required }: Slot): number {
  return kindsInOrder.indexOf(kind) + (required ? 0 : 0.5)
}

function fillOne(slot: Slot, context: FillContext): Picked | undefined {
  if (slot.kind === 'list' && slot.inner[0]?.kind === 'object') return pickItems(slot, context, fillArguments)
  if (slot.kind !== 'object') return fillSlot(slot, context)
  const inner = fillArguments(slot.inner, { ...context, tool: { ...context.tool, slots: slot.inner } })
  const useful = slot.required || inner.given.size > 0
  return useful && inner.missing.length === 0 ? { value: inner.arguments, spans: inner.spans } : undefined
}

// The value of a required parameter that the clause does not give: null or the default where possible, false
// for a flag, the neutral one of an enum, and for one of two texts the other.
function fallback(slot: Slot, texts: readonly Slot[], values: ReadonlyMap<string, unknown>): unknown {
  if (slot.nullable) return null
  if (slot.schema.default !== undefined) return slot.schema.default
  if (slot.kind === 'flag') return false
  if (slot.kind === 'choice' && Array.isArray(slot.schema.enum)) return slot.schema.enum.find(isNeutral)
  return slot.kind === 'text'
    ? texts.map(({ name }) => values.get(name)).find((value) => value !== undefined)
    : undefined
}

// Values that mean "no preference".
function isNeutral(value: unknown): boolean {
  return /^(?:any|all|auto|automatic|default|normal|standard|medium|none|other|general)$/i.test(String(value))
}

// Own properties only: a parameter may be named "__proto__".
function inOrder(slots: readonly Slot[], values: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    slots.filter(({ name }) => values.has(name)).map(({ name }) => [name, values.get(name)]),
  )
}

function toFan(slots: readonly Slot[], picks: ReadonlyMap<string, Picked>): Filled['fan'] {
  const fans = slots.flatMap(({ name, required }) => {
    const values = required ? picks.get(name)?.alternatives : undefined
    return values ? [{ name, values: [...new Set(values)] }] : []
  })
  return fans.length === 1 ? fans[0] : undefined
}

/** The arguments that a clause gives to a tool. */
export interface Filled {
  readonly arguments: Readonly<Record<string, unknown>>
  /** The names of the arguments from the clause. The others are defaults. */
  readonly given: ReadonlySet<string>
  /** Required parameters that the clause does not give. */
  readonly missing: readonly Slot[]
  /** The number of specific values, such as an address or a date, that filled a slot. */
  readonly evidence: number
  /** Like `evidence`, without names, dates and times, which occur in any sentence. */
  readonly hardEvidence: number
  /** The one parameter with several values. */
  readonly fan: { readonly name: string; readonly values: readonly unknown[] } | undefined
  /** The used parts of the clause. */
  readonly spans: readonly Span[]
}

/**
 * Fills a list of objects from parts such as "3 chairs at 45 dollars and 1 desk at 120". Each part must give
 * all required fields of an item.
 */
function pickItems(
  { inner: [item] }: Slot,
  context: FillContext,
  fill: (slots: readonly Slot[], context: FillContext) => Filled,
): Picked | undefined {
  if (item?.kind !== 'object' || item.inner.length === 0) return undefined
  const tool = { ...context.tool, slots: item.inner }
  const now = new Date(`${context.reading.today}T12:00`)
  const counts = item.inner.some(({ kind, required }) => kind === 'number' && required)
  const found = toParts(context, counts).flatMap(({ start, end }) => {
    const part = readClause(context.reading.text.slice(start, end), now)
    const filled = fill(item.inner, toFillContext(tool, part, []))
    return filled.missing.length === 0 && filled.given.size > 0
      ? [{ value: filled.arguments, start, end }]
      : []
  })
  return found.length > 0 ? { value: found.map(({ value }) => value), spans: found } : undefined
}

// Limits the work of a hostile clause.
const mostParts = 40

// Cuts the clause at commas and "and", without the parts of other slots. Counted items begin with their
// number.
function toParts({ reading, taken }: FillContext, counts: boolean): Span[] {
  const cuts = [...reading.masked.matchAll(/[,;\n]|\band\b|\bplus\b|(?<=\w):\s/gi)]
  const ends = [...cuts.map(({ index }) => index), reading.text.length]
  const starts = [0, ...cuts.map((cut) => cut.index + cut[0].length)]
  const parts = starts.slice(0, mostParts).map((start, index) => ({ start, end: ends[index] ?? start }))
  return parts.flatMap(({ start, end }) => {
    const used = taken.filter((span) => span.start < end && span.end > start)
    const isFree = (one: Span) => !used.some((span) => one.start < span.end && span.start < one.end)
    const number = reading.numbers.find((one) => one.start >= start && one.end <= end && isFree(one))
    if (counts) return number ? [{ start: number.start, end }] : []
    const from = Math.min(end, Math.max(start, ...used.map((span) => span.end)))
    return reading.text.slice(from, end).trim() === '' ? [] : [{ start: from, end }]
  })
}
