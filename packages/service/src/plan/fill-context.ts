import { toOperands } from './arithmetic.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading, Span } from './read-clause.js'
import type { Slot } from './slots.js'
import type { Found } from './spans.js'
import { isRelated, stopWords, toConcept, toConcepts } from './words.js'

/** The sources of a slot's value. */
export interface FillContext {
  readonly tool: PlannerTool
  readonly reading: Reading
  /** Parts of the clause that other slots have used. */
  readonly taken: readonly Span[]
  /** Available artifact ids, the best match last. */
  readonly artifacts: readonly string[]
  /** Whether an artifact came with the request or the previous clause: a bare "add a hat" means that one. */
  readonly inHand: boolean
  readonly topic: Topic | undefined
  /** Words that belong to another task of the same clause. */
  readonly elsewhere?: { readonly tool: PlannerTool; readonly spans: readonly Span[] }
  /** Whether the clause changes an earlier call: "make that 5". */
  readonly follows?: boolean
  /** Values that results and earlier calls give, by slot name. */
  readonly bound?: ReadonlyMap<string, unknown>
  /** Whether words such as "the cheapest" choose among results. */
  readonly selects?: boolean
  /** The operands of a calculation in the clause, by slot name. An undefined value keeps the slot empty. */
  readonly operands: ReadonlyMap<string, unknown>
}

/** Creates the context of a clause with nothing used. */
export function toFillContext(
  tool: PlannerTool,
  reading: Reading,
  artifacts: readonly string[],
  inHand = false,
): FillContext {
  const operands = toOperands(tool, reading)
  return { tool, reading, artifacts, inHand, taken: [], topic: undefined, operands }
}

/** Whether two contexts of one clause give the same values. The operands follow from the tool and the clause. */
export function isSameContext(one: FillContext, other: FillContext): boolean {
  return (
    one.tool === other.tool &&
    one.inHand === other.inHand &&
    one.topic === other.topic &&
    one.elsewhere === other.elsewhere &&
    (one.follows ?? false) === (other.follows ?? false) &&
    (one.selects ?? false) === (other.selects ?? false) &&
    (one.bound === other.bound || ((one.bound?.size ?? 0) === 0 && (other.bound?.size ?? 0) === 0)) &&
    isEqual(one.artifacts, other.artifacts) &&
    isEqual(one.taken, other.taken)
  )
}

function isEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}

/** Returns the parameters that a change of an earlier call may mean: those that it has come first. */
export function toChangedSlots({ slots }: PlannerTool, base: Readonly<Record<string, unknown>>): Slot[] {
  return slots.map((slot) => ({ ...slot, required: Object.hasOwn(base, slot.name) }))
}

/** Extends a span by its preposition and article, which mean nothing without it. */
export function widen({ start, end }: Span, text: string): Span {
  const [lead = ''] = leadIn.exec(text.slice(0, start)) ?? []
  return { start: start - lead.length, end }
}

const leadIn =
  /(?:\b(?:in|at|on|for|by|to|into|from|of|with|as|until|till|before|due|near|than|and|is|starting|beginning|born|since)\s+)?(?:\b(?:the|a|an)\s+)?["'(#]?$/i

/** Returns the list that a match begins ("AAPL, MSFT and IBM"), or the match alone. */
export function toList<T>(one: Found<T>, all: readonly Found<T>[], text: string): Found<T>[] {
  const run = [one]
  for (const next of all.filter((other) => other.start >= one.end)) {
    const last = run.at(-1) ?? one
    const between = text.slice(last.end, next.start)
    if (!/^\s*(?:,|,?\s*\b(?:and|or|&)\b)\s*(?:(?:in|for|of|at|also)\s+)?$/.test(between)) break
    run.push(next)
  }
  return run
}

/** The words beside a span that name a slot: their weight, and the span with them. */
export interface Cue extends Span {
  readonly weight: number
}

/** Returns how strongly the words beside a span name a slot: "patient 7", "7 guests", "priority: high". */
export function cueOf(
  { core, coreGroups, textConcepts }: Slot,
  { start, end }: Span,
  { masked }: Reading,
): Cue {
  const before = masked.slice(Math.max(0, start - 50), start)
  const [lead = '', noun = '', copula = ''] =
    /([\p{L}][\p{L}'’-]*)((?:\s+(?:is|are|was|of|to|as|no\.?|number|id|code|with|at|by|it|number is|called|named))?[\s:=#"'(]*)$/iu.exec(
      before,
    ) ?? []
  const after = masked.slice(end, end + 40)
  const [tail = '', next = ''] = /^(?:['’]s)?[\s-]+([\p{L}][\p{L}'’-]*)/u.exec(after) ?? []
  const has = (set: ReadonlySet<string>, word: string) =>
    word !== '' && [toConcept(word.toLowerCase()), ...toConcepts(word)].some((one) => set.has(one))
  if (has(core, noun)) return { weight: 3, start: start - lead.length, end }
  if (has(core, next)) return { weight: 2.5, start, end: end + tail.length }
  const isNear = (word: string) =>
    word !== '' && !stopWords.has(word.toLowerCase()) && isRelated(toConcept(word), coreGroups)
  if (isNear(noun)) return { weight: 2, start: start - lead.length, end }
  if (isNear(next)) return { weight: 1.5, start, end: end + tail.length }
  if (has(textConcepts, noun) && !/\S/.test(copula.replace(/[:=#]/g, '')))
    return { weight: 1, start: start - lead.length, end }
  if (has(textConcepts, next)) return { weight: 1, start, end: end + tail.length }
  return { weight: 0, start, end }
}

/** The referent of "it" in a clause: the earlier request and its result. */
export interface Topic {
  /** Empty when the earlier request was itself only an "it". */
  readonly subject: string
  /** The concepts that may name it: those of its subject and its tool. */
  readonly known: ReadonlySet<string>
  readonly result: string
}

/** Resolves a reference: replaces "it" by the earlier subject, followed by the result. */
export function withTopic(phrase: string, topic: Topic, tool: PlannerTool): string {
  const own = [...toConcepts(phrase.replace(filler, ' '))]
  const nothingNew = own.every((concept) => topic.known.has(concept))
  const text = nothingNew ? topic.subject : inPlace(phrase, topic)
  const whole = [text, topic.result].filter((part) => part !== '').join(': ')
  return tool.makes === 'audio' ? toSentence(whole) : whole
}

// "A house in that weather", "a map of it".
function inPlace(phrase: string, { subject, known }: Topic): string {
  const named = [...phrase.matchAll(/\b(?:this|that|these|those)\s+(\p{L}+)/giu)].find(([, noun = '']) =>
    known.has(toConcept(noun)),
  )
  return phrase.replace(named?.[0] ?? pronoun, () => subject)
}

const pronoun = /\b(?:it|them|both|all of them|this|that|the (?:result|answer|output)s?)\b/i
const filler =
  /\b(?:short|brief|one|sentence|line|summary|words?|something|about|results?|answers?|output|picture|image|drawing|it|them|both|all|each|this|that)\b/gi

function toSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
