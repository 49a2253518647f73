import { isConnector, unaccountedIn } from './accounting.js'
import { pickItems, toCandidates } from './candidates.js'
import { onceFor, overlaps, type Reading, type Span } from './clauses.js'
import { type Candidate, type FillContext, isSameContext } from './fill-context.js'
import { type Coverage, toCoverage } from './free-words.js'
import { toPair } from './pairs.js'
import type { Slot, SlotKind } from './planner-tool.js'
import { isReference, toRemainderText } from './references.js'
import {
  isPersonal,
  isTextual,
  mainTextOf,
  textKinds,
  toIntroduced,
  toTextCandidates,
} from './text-candidates.js'
import { isRelated } from './words.js'

export interface Filled {
  readonly arguments: Readonly<Record<string, unknown>>
  /** The names of the arguments from the clause. The others are defaults. */
  readonly given: ReadonlySet<string>
  /** The names of the arguments that only their position supports. */
  readonly loose: ReadonlySet<string>
  readonly missing: readonly Slot[]
  /** Parameters whose value is only a reference such as "it". Without a referent, they are missing. */
  readonly references: readonly Slot[]
  /** The reasons why the arguments are not certain: words that no parameter takes, or two possible readings. */
  readonly doubts: readonly string[]
  readonly unaccounted: readonly string[]
  /** The number of specific values, such as an address or a date, that filled a slot. */
  readonly evidence: number
  /** Like `evidence`, without names, dates and times, which occur in any sentence. */
  readonly hardEvidence: number
  /** The number of values that only their position supports. */
  readonly guesses: number
  /** The weight of the words that neither an argument nor the tool explains. */
  readonly unused: number
  /** The words that the arguments use. `personal` contains those that name people. */
  readonly spans: readonly Span[]
  readonly personal: readonly Span[]
  /** The arguments of each call, if the clause lists values: "Paris, Rome and New York". */
  readonly fan: readonly Readonly<Record<string, unknown>>[] | undefined
}

export function isSure({ doubts, unaccounted }: Filled): boolean {
  return doubts.length + unaccounted.length === 0
}

/** A parameter, or a field of an object parameter, with its path. */
interface Leaf {
  readonly path: readonly string[]
  readonly slot: Slot
}

interface Assignment {
  readonly picks: ReadonlyMap<string, Candidate>
  readonly score: number
}

/**
 * Fills a tool's parameters from a clause. All candidates for all parameters compete for the words, and each word is
 * used once. The assignment with the most evidence and the fewest unused words wins.
 */
export function fillArguments(slots: readonly Slot[], context: FillContext): Filled {
  const bySlots = filledFrom(context.reading)
  const before = bySlots.get(slots) ?? []
  bySlots.set(slots, before)
  const known = before.find((one) => isSameContext(one.context, context))
  if (known) return known.filled
  const filled = fill(slots, context)
  if (before.length < mostKept) before.push({ context, filled })
  return filled
}

// The arguments of one of several items, if its part of the clause contains all of them.
function fillWhole(slots: readonly Slot[], context: FillContext) {
  const { arguments: args, given, missing, doubts } = fillArguments(slots, context)
  return missing.length + doubts.length === 0 && given.size > 0 ? args : undefined
}

// The clauses of a repeated request are kept, with contexts that may differ each time.
const mostKept = 50

// A tool is scored, checked, completed and called with the same clause: its parameters are filled once.
const filledFrom = onceFor(
  (_: Reading) => new Map<readonly Slot[], { readonly context: FillContext; readonly filled: Filled }[]>(),
)

function fill(slots: readonly Slot[], context: FillContext): Filled {
  const all = leavesOf(slots)
  const named = all.filter(({ slot }) => [...slot.core].some((one) => context.reading.concepts.has(one)))
  const near = new Set([...named, ...all].slice(0, widest.leaves))
  const leaves = all.length > widest.leaves ? all.filter((leaf) => near.has(leaf)) : all
  const candidates = leaves.map(({ slot }) =>
    [
      ...toCandidates(slot, context),
      ...(isTextual(slot) ? toIntroduced(slot, context) : []),
      ...pickItems(slot, context, fillWhole),
      ...boundTo(slot, context),
      ...toPair(slot, context),
    ].map((one) => {
      const isElsewhere = one.spans.some((span) =>
        context.elsewhere?.spans.some((other) => overlaps(span, other)),
      )
      return isElsewhere ? { ...one, score: one.score - 0.6 } : one
    }),
  )
  const claimed = candidates.flat().flatMap(({ slot, spans }) => (claiming.has(slot.kind) ? spans : []))
  const typed = assign(leaves, candidates, [{ picks: new Map(), score: 0 }])
  const coverage = toCoverage(leafSlotsOf(leaves), context)
  const whole = typed
    .slice(0, widest.typed)
    .flatMap((state) => withTexts(state, leaves, { context, coverage, claimed }))
  const ranked = whole
    .map((state) => ({ state, total: totalOf(state, leaves, coverage) }))
    .sort((one, other) => other.total - one.total)
  const [best, ...others] = ranked
  const picks = best?.state.picks ?? new Map<string, Candidate>()
  const rival = others.find(({ state }) => argumentsOf(state.picks) !== argumentsOf(picks))
  const isTie = best !== undefined && rival !== undefined && best.total - rival.total < 0.15
  return toFilled(slots, leaves, picks, { coverage, isTie, context })
}

// Limits the work: the assignments that are kept at each step, and the parameters of a clause, those that it names first.
const widest = { step: 14, typed: 5, texts: 3, leaves: 40 }

const leavesOf = onceFor((slots: readonly Slot[]) => slots.flatMap((slot) => toLeaves(slot, [slot.name])))
const leafSlotsOf = onceFor((leaves: readonly Leaf[]) => leaves.map(({ slot }) => slot))

function toLeaves(slot: Slot, path: readonly string[], required = true): Leaf[] {
  const isRequired = required && slot.required
  if (slot.kind !== 'object' || slot.inner.length === 0)
    return [{ path, slot: { ...slot, required: isRequired } }]
  return slot.inner.flatMap((inner) => {
    const words = plainName.test(inner.words) ? `${slot.words} ${inner.words}` : inner.words
    return toLeaves({ ...inner, words }, [...path, inner.name], isRequired)
  })
}

// A person's field "name" or "id" is the person's name.
const plainName = /^(?:full )?(?:name|id|code|number|title)$/

function boundTo(slot: Slot, { bound }: FillContext): Candidate[] {
  if (!bound?.has(slot.name)) return []
  return [{ slot, value: bound.get(slot.name), spans: [], score: 1.4 }]
}

const keyOf = onceFor(({ path }: Leaf) => path.join('\u0000'))

/** Extends assignments with the candidates for each leaf, and keeps the best. */
function assign(
  leaves: readonly Leaf[],
  candidates: readonly (readonly Candidate[])[],
  from: readonly Assignment[],
): Assignment[] {
  const best = (index: number) => Math.max(0, ...(candidates[index] ?? []).map(({ score }) => score))
  const order = [...leaves.keys()]
    .filter((index) => (candidates[index]?.length ?? 0) > 0)
    .sort((one, other) => best(other) - best(one))
  let states = [...from]
  for (const index of order) {
    const leaf = leaves[index]
    if (!leaf) continue
    const key = keyOf(leaf)
    const gain = leaf.slot.required ? 0.3 : 0
    const next = states.flatMap((state): { state: Assignment; pick?: Candidate; score: number }[] => {
      const used = [...state.picks.values()].flatMap(({ spans }) => spans)
      const free = (candidates[index] ?? []).filter(
        ({ spans }) =>
          !state.picks.has(key) && !spans.some((span) => used.some((taken) => overlaps(span, taken))),
      )
      const taken = free.map((pick) => ({ state, pick, score: state.score + pick.score + gain }))
      return [...taken, { state, score: state.score }]
    })
    states = next
      .sort((one, other) => other.score - one.score)
      .slice(0, widest.step)
      .map(({ state, pick, score }) =>
        pick ? { picks: new Map([...state.picks, [key, pick]]), score } : state,
      )
  }
  return states
}

function withTexts(
  state: Assignment,
  leaves: readonly Leaf[],
  { context, coverage, claimed }: { context: FillContext; coverage: Coverage; claimed: readonly Span[] },
): Assignment[] {
  const open = leaves.filter((leaf) => isTextual(leaf.slot) && !state.picks.has(keyOf(leaf)))
  if (open.length === 0) return [state]
  const taken = [...state.picks.values()].flatMap(({ spans }) => spans)
  const main = mainTextOf(context.tool)
  const remainder = main && open.find(({ slot }) => slot.name === main.name)
  const text = remainder && toRemainderText(remainder.slot, { ...context, taken })
  const slots = open.map(({ slot }) => slot)
  const found = toTextCandidates(slots, { taken, claimed }, context)
  const candidates = slots.map((slot) => found.filter((one) => one.slot === slot))
  const isNamed = found.some(({ slot, score, isLoose }) => slot === remainder?.slot && !isLoose && score >= 3)
  if (text !== undefined && remainder && !isNamed) {
    const named = candidates.map((some) =>
      some.filter(({ slot, score }) => slot !== remainder.slot && score >= 2),
    )
    const [first = state] = assign(open, named, [state])
    return [withRemainder(first, remainder, context)]
  }
  return assign(open, candidates, [state])
    .map((one) => ({ one, total: totalOf(one, leaves, coverage) }))
    .sort((one, other) => other.total - one.total)
    .slice(0, widest.texts)
    .map(({ one }) => one)
}

// A prompt takes all words that nothing else takes.
function withRemainder({ picks, score }: Assignment, leaf: Leaf, context: FillContext): Assignment {
  const taken = [...picks.values()].flatMap(({ spans }) => spans)
  const value = toRemainderText(leaf.slot, { ...context, taken })
  const spans = [{ start: 0, end: context.reading.text.length }]
  if (value === undefined) return { picks, score }
  return {
    picks: new Map([...picks, [keyOf(leaf), { slot: leaf.slot, value, spans, score: 2 }]]),
    score: score + 2,
  }
}

function totalOf({ picks, score }: Assignment, leaves: readonly Leaf[], coverage: Coverage): number {
  const spans = [...picks.values()].flatMap((pick) => pick.spans)
  const missing = leaves.filter((leaf) => leaf.slot.required && !picks.has(keyOf(leaf))).length
  const { words, values } = coverage(spans)
  return score - words.length * 0.9 - values.length * 1.8 - missing * 0.5 - inversions(picks, leaves) * 0.3
}

// Values of one kind are in the order of their parameters, if nothing else decides.
function inversions(picks: ReadonlyMap<string, Candidate>, leaves: readonly Leaf[]): number {
  const placed = leaves.flatMap((leaf) => {
    const pick = picks.get(keyOf(leaf))
    const [span] = pick?.spans ?? []
    return span && !textKinds.has(leaf.slot.kind) ? [{ kind: leaf.slot.kind, at: span.start }] : []
  })
  return placed.filter(({ kind, at }, index) =>
    placed.slice(0, index).some((one) => one.kind === kind && one.at > at),
  ).length
}

function argumentsOf(picks: ReadonlyMap<string, Candidate>): string {
  return JSON.stringify([...picks].map(([key, { value, alternatives }]) => [key, value, alternatives]).sort())
}

function toFilled(
  slots: readonly Slot[],
  leaves: readonly Leaf[],
  picks: ReadonlyMap<string, Candidate>,
  { coverage, isTie, context }: { coverage: Coverage; isTie: boolean; context: FillContext },
): Filled {
  const args = (values: ReadonlyMap<string, unknown>) => toObject(slots, [], values)
  const values = new Map([...picks].map(([key, { value }]) => [key, value]))
  const fans = [...picks].filter(([, { alternatives }]) => alternatives)
  const lengths = new Set(fans.map(([, { alternatives }]) => alternatives?.length))
  const fanAt = (index: number) =>
    fans.map(([key, { alternatives }]) => [key, alternatives?.[index]] as const)
  const [length] = lengths.size === 1 ? lengths : []
  const fan = length && [...Array(length).keys()].map((index) => args(new Map([...values, ...fanAt(index)])))
  const whole = args(values)
  const spoken = [...picks.values()].filter(({ spans }) => spans.length > 0)
  const used = spoken.flatMap(({ spans }) => spans)
  const covered = coverage(used)
  const left = { ...covered, words: covered.words.filter((word) => !isConnector(word, spoken, context)) }
  const doubts = toDoubts(picks, left, leaves)
  if (isTie && leaves.length > 0) doubts.push('two readings')
  if (fans.length > 1 !== /\brespectively\b/i.test(context.reading.masked)) doubts.push('several lists')
  const isQuoted = (value: unknown) => context.reading.quotes.some((quote) => quote.value === value)
  const isOpen = ({ value, slot }: Candidate) =>
    typeof value === 'string' && isTextual(slot) && !isQuoted(value) && isReference(value)
  const hard = spoken.filter(
    ({ slot, score, isLoose }) =>
      !isLoose && !soft.has(slot.kind) && (score >= 2.5 || slot.kind === 'choice'),
  )
  return {
    arguments: whole,
    given: namesOf([...picks]),
    loose: namesOf([...picks].filter(([, { isLoose }]) => isLoose)),
    missing: missingOf(slots, picks, whole),
    references: spoken.filter(isOpen).map(({ slot }) => slot),
    doubts,
    unaccounted: leaves.length === 0 ? [] : unaccountedIn([...picks.values()], left.words, context),
    evidence: spoken.reduce((sum, pick) => sum + weightOf(pick), 0),
    hardEvidence: hard.reduce((sum, pick) => sum + weightOf(pick), 0),
    guesses: spoken.filter(({ isLoose }) => isLoose).length,
    unused: left.words.length + left.values.length,
    spans: used,
    personal: spoken.filter(({ slot }) => isPersonal(slot)).flatMap(({ spans }) => spans),
    fan: fan || undefined,
  }
}

function namesOf(picks: readonly (readonly [string, Candidate])[]): Set<string> {
  return new Set(picks.map(([key]) => key.split('\u0000', 1)[0] ?? ''))
}

/** Returns the missing parameters. An object's missing field is named instead of the object. */
function missingOf(
  slots: readonly Slot[],
  picks: ReadonlyMap<string, Candidate>,
  whole: Readonly<Record<string, unknown>>,
): Slot[] {
  const isBegun = ({ name }: Slot) =>
    [...picks.keys()].some((key) => key === name || key.startsWith(`${name}\u0000`))
  return slots.filter((slot) => !Object.hasOwn(whole, slot.name) && (slot.required || isBegun(slot)))
}

// Own properties only: a parameter may be named "__proto__". An object that lacks a required field is dropped.
function toObject(
  slots: readonly Slot[],
  path: readonly string[],
  values: ReadonlyMap<string, unknown>,
): Record<string, unknown> {
  const entries = slots.flatMap((slot): [string, unknown][] => {
    const own = [...path, slot.name]
    const key = own.join('\u0000')
    if (values.has(key)) return [[slot.name, values.get(key)]]
    if (slot.kind === 'object' && slot.inner.length > 0) {
      const inner = toObject(slot.inner, own, values)
      const isWhole = slot.inner.every(({ name, required }) => !required || Object.hasOwn(inner, name))
      const isBegun = [...values.keys()].some((one) => one.startsWith(`${key}\u0000`))
      if (isWhole && (isBegun || (slot.required && slot.inner.some(({ required }) => required))))
        return [[slot.name, inner]]
    }
    const value = slot.required ? (slot.schema.default ?? (slot.nullable ? null : undefined)) : undefined
    return value === undefined ? [] : [[slot.name, value]]
  })
  return Object.fromEntries(entries)
}

/** Returns the words and values that probably mean something but were not used. */
function toDoubts(
  picks: ReadonlyMap<string, Candidate>,
  left: ReturnType<Coverage>,
  leaves: readonly Leaf[],
): string[] {
  // A tool without parameters, such as a handoff, cannot leave one unclear.
  if (leaves.length === 0) return []
  const loose = [...picks.values()].filter(({ isLoose }) => isLoose)
  const chance = [...picks.values()].filter(({ slot, score }) => slot.kind === 'number' && score < 1)
  const isOpen = leaves.some((leaf) => !picks.has(keyOf(leaf)) && wordKinds.test(leaf.slot.kind))
  const mostWords = loose.length > 0 || chance.length > 0 || isOpen ? 0 : 2
  const words = left.words.length > mostWords ? left.words : []
  const open = leaves.filter((leaf) => !picks.has(keyOf(leaf)) && !leaf.slot.required)
  const unmet = left.names.filter(({ concept }) =>
    open.some(
      ({ slot }) =>
        slot.textConcepts.has(concept) ||
        (slot.kind === 'flag' && (slot.core.has(concept) || isRelated(concept, slot.coreGroups))),
    ),
  )
  // Words at a position that nothing announces, and a second value that only its position supports.
  const guesses = loose.length > 0 && loose.length + chance.length > 1 ? [...loose, ...chance] : []
  const named = [...unmet.map(({ word }) => word), ...guesses.map(({ value }) => String(value))]
  return [...left.values, ...words, ...named]
}

// Kinds whose values are words.
const claiming = new Set<SlotKind>(['choice', 'currency', 'language', 'country'])

const wordKinds = /^(?:text|person|place|choice|flag|list|object|code|language|symbol|country)$/

// An address or a value of an enum is strong evidence; other values may be in the clause by chance.
const soft = new Set<SlotKind>(['place', 'person', 'date', 'time', 'moment'])

const strength: Partial<Record<SlotKind, number>> = { email: 1.5, phone: 1.5, url: 1.5, choice: 1.25 }

function weightOf({ slot: { kind, required, forms, schema }, isLoose, score }: Candidate): number {
  if (isLoose || (kind === 'number' && score < 1)) return 0
  if (kind === 'text') return required ? 0.5 : 0
  const isFormed = forms.length > 0 || (kind === 'code' && schema.pattern !== undefined)
  return (isFormed ? 2 : (strength[kind] ?? 1)) * (required ? 1 : 0.5)
}
