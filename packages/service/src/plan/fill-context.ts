import { onceFor, type Reading, type Span } from './clauses.js'
import { type Arithmetic, findArithmetic, findNumbers, type Operation } from './numbers.js'
import type { PlannerTool, Slot } from './planner-tool.js'
import { currencyCode, type Found, isRelated, splitName, stopWords, toConcept, toConcepts } from './words.js'

export interface FillContext {
  readonly tool: PlannerTool
  readonly reading: Reading
  readonly taken: readonly Span[]
  /** The ids of available artifacts, with the best match last. */
  readonly artifacts: readonly string[]
  /** Whether an artifact came with the request or the previous clause: "add a hat" alone then means that one. */
  readonly inHand: boolean
  readonly topic: Topic | undefined
  /** Words that belong to another task of the same clause. */
  readonly elsewhere?: { readonly tool: PlannerTool; readonly spans: readonly Span[] }
  /** Whether the clause changes an earlier call: "make that 5". */
  readonly follows?: boolean
  /** Values from results and earlier calls, by slot name. */
  readonly bound?: ReadonlyMap<string, unknown>
  /** Whether words such as "the cheapest" choose among results. */
  readonly selects?: boolean
  /** The operands of a calculation in the clause, by slot name. An undefined value keeps the slot empty. */
  readonly operands: ReadonlyMap<string, unknown>
}

export function toFillContext(
  tool: PlannerTool,
  reading: Reading,
  artifacts: readonly string[],
  inHand = false,
): FillContext {
  const operands = toOperands(tool, reading)
  return { tool, reading, artifacts, inHand, taken: [], topic: undefined, operands }
}

/** Whether two contexts for one clause lead to the same values. The tool and the clause determine the operands. */
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

/** Returns the parameters that a change of an earlier call may mean. Parameters that the call has come first. */
export function toChangedSlots({ slots }: PlannerTool, base: Readonly<Record<string, unknown>>): Slot[] {
  return slots.map((slot) => ({ ...slot, required: Object.hasOwn(base, slot.name) }))
}

/** Extends a span to include its preposition and article, which mean nothing without the span. */
export function widen({ start, end }: Span, text: string): Span {
  const [lead = ''] = leadIn.exec(text.slice(0, start)) ?? []
  return { start: start - lead.length, end }
}

const leadIn =
  /(?:\b(?:in|at|on|for|by|to|into|from|of|with|as|until|till|before|due|near|than|and|is|starting|beginning|born|since)\s+)?(?:\b(?:the|a|an)\s+)?["'(#]?$/i

/** Returns the list that starts with a match ("AAPL, MSFT and IBM"), or only the match. */
export function toList<T>(one: Found<T>, all: readonly Found<T>[], text: string): Found<T>[] {
  const run = [one]
  for (const next of all.filter((other) => other.start >= one.end)) {
    const last = run.at(-1) ?? one
    const between = text.slice(last.end, next.start)
    if (!betweenItems.test(between)) break
    run.push(next)
  }
  return run
}

/** Matches the text between two items of a list. */
export const betweenItems =
  /^\s*(?:,|,?\s*\b(?:and|or|&)\b)\s*(?:(?:in|for|of|at|from|to|with|also)\s+)?(?:the\s+)?$/

/** How strongly the words next to a span name a slot, and the span including them: "patient 7", "priority: high". */
export function cueOf(
  { kind, core, coreGroups, textConcepts }: Slot,
  { start, end }: Span,
  { masked }: Reading,
) {
  const before = masked.slice(Math.max(0, start - 50), start)
  const [lead = '', noun = '', copula = ''] =
    /([\p{L}][\p{L}'’-]*)((?:\s+(?:is|are|was|of|to|as|no\.?|number|id|code|with|at|by|it|number is|called|named))?[\s:=#"'(]*)$/iu.exec(
      before,
    ) ?? []
  const after = masked.slice(end, end + 40)
  const [tail = '', next = ''] = /^(?:['’]s)?[\s-]+([\p{L}][\p{L}'’-]*)/u.exec(after) ?? []
  const [far = ''] = /^\p{L}+/u.exec(after.slice(tail.length).trimStart()) ?? []
  const has = (set: ReadonlySet<string>, word: string) =>
    word !== '' &&
    // In "dollars to euros", the first is no name of the second.
    (kind !== 'currency' || currencyCode(word) === undefined) &&
    [toConcept(word.toLowerCase()), ...toConcepts(word)].some((one) => set.has(one))
  if (has(core, noun)) return { weight: 3, start: start - lead.length, end }
  if (has(core, next)) return { weight: 2.5, start, end: end + tail.length }
  const isNear = (word: string) =>
    word !== '' && !stopWords.has(word.toLowerCase()) && isRelated(toConcept(word), coreGroups)
  const isUnit = /\d\s*$/.test(before.slice(0, -lead.length))
  if (isNear(noun) && !isUnit) return { weight: 2, start: start - lead.length, end }
  if (has(textConcepts, noun) && !/\S/.test(copula.replace(/[:=#]/g, '')))
    return { weight: 1, start: start - lead.length, end }
  if (kind === 'number' && (has(core, far) || isNear(far) || isNear(next))) return { weight: 2, start, end }
  // The "pounds" of "20 pounds" may be for a parameter of its own.
  if (has(textConcepts, next)) return { weight: 1, start, end: currencyCode(next) ? end : end + tail.length }
  return { weight: 0, start, end }
}

/** The referent of "it" in a clause: the earlier request and its result. */
export interface Topic {
  /** The subject. Empty if the earlier request only said "it". */
  readonly subject: string
  /** The concepts of the subject and of its tool. Words with these concepts may refer to the topic. */
  readonly known: ReadonlySet<string>
  readonly result: string
}

/** Resolves a reference: replaces "it" with the earlier subject, followed by the result. */
export function withTopic(phrase: string, topic: Topic, tool: PlannerTool): string {
  const own = [...toConcepts(phrase.replace(filler, ' '))]
  const nothingNew = own.every((concept) => topic.known.has(concept))
  // "A house in that weather", "a map of it".
  const named = [...phrase.matchAll(/\b(?:this|that|these|those)\s+(\p{L}+)/giu)].find(([, noun = '']) =>
    topic.known.has(toConcept(noun)),
  )
  const inPlace = phrase.replace(named?.[0] ?? pronoun, () => topic.subject)
  const text = nothingNew ? topic.subject : inPlace
  const whole = [text, topic.result].filter((part) => part !== '').join(': ')
  return tool.makes === 'audio'
    ? whole.charAt(0).toUpperCase() + whole.slice(1) + (/[.!?]$/.test(whole) ? '' : '.')
    : whole
}

const pronoun = /\b(?:it|them|both|all of them|this|that|the (?:result|answer|output)s?)\b/i
const filler =
  /\b(?:short|brief|one|sentence|line|summary|words?|something|about|results?|answers?|output|picture|image|drawing|it|them|both|all|each|this|that)\b/gi

/** A value in a clause that may be for a slot, with the words that it uses. */
export interface Candidate {
  readonly slot: Slot
  readonly value: unknown
  readonly spans: readonly Span[]
  /** The weight of the evidence. Above 2 if the value's position or form is decisive, and below 1 if nothing is. */
  readonly score: number
  /** The values of a list such as "Paris, Rome and New York". Each may become a separate call. */
  readonly alternatives?: readonly unknown[]
  /** Whether the value is free text that no word of the clause announces. */
  readonly isLoose?: boolean
}

/** Returns a candidate for each match, and for each list of matches that starts with it. */
export function listed<T>(
  slot: Slot,
  found: readonly Found<T>[],
  { reading }: FillContext,
  base: number,
  render: (value: T, slot: Slot) => unknown = (value) => value,
): Candidate[] {
  return found.flatMap((one) => {
    const cue = cueOf(slot, one, reading)
    const run = toList(one, found, reading.text)
    const values = run.map(({ value }) => render(value, slot))
    if (!values.every(slot.accepts)) return []
    const span = { start: Math.min(cue.start, widen(one, reading.text).start), end: cue.end }
    const role = roleOf(slot, one, reading.masked)
    // "Until 1 May" is no first day.
    if (role < 0 && slot.kind === 'date') return []
    const single = { slot, value: values[0], spans: [span], score: base + cue.weight + role }
    return withList(single, run, values)
  })
}

export function withList(single: Candidate, run: readonly Span[], alternatives: readonly unknown[]) {
  const [span] = single.spans
  const last = run.at(-1)
  if (run.length < 2 || !span || !last) return [single]
  const whole = { start: span.start, end: Math.max(span.end, last.end) }
  return [single, { ...single, spans: [whole], score: single.score + 0.5, alternatives }]
}

/** Returns the weight of "from" or "until" before a value, for a slot on one side of a pair. */
export function roleOf(slot: Slot, { start }: Span, masked: string): number {
  const before = masked.slice(Math.max(0, start - 30), start)
  const [from, to] = slot.kind === 'currency' ? [/[\d$€£¥]\s*$/, /\b(?:in|how (?:many|much))\s+$/i] : []
  const isFrom = fromLead.test(before) || (!toLead.test(before) && from?.test(before))
  const side = isFrom ? 'from' : toLead.test(before) || to?.test(before) ? 'to' : undefined
  const own = sideOf(slot)
  if (own === undefined || side === undefined) return 0
  return own === side ? 1.5 : -1.5
}

const fromLead =
  /\b(?:from|since|starting|beginning|leaving|departing|out of)\s+(?:on\s+|at\s+)?(?:the\s+)?$/i
const toLead =
  /(?:\b(?:to|until|till|through|by|before|into|due|returning|back)|[–-])\s+(?:on\s+|at\s+)?(?:the\s+)?$/i

/** Returns the side of a slot for one of two values, such as the first or the last day. */
export function sideOf({ words, role }: Slot): 'from' | 'to' | undefined {
  return role ?? (starts.test(words) ? 'from' : ends.test(words) ? 'to' : undefined)
}

const starts =
  /\b(?:from|starts?|starting|begins?|first|check ?in|pick ?up|arrival|depart|departure|since|old|earliest|after)\b/
const ends = /\b(?:ends?|ending|until|last|latest|check ?out|return|due|deadline|before|by|till|new)\b/

/** Returns a calculation's operands by slot name. An undefined value means that the tool calculates something else. */
function toOperands(tool: PlannerTool, reading: Reading): ReadonlyMap<string, unknown> {
  const expression = tool.slots.find(({ kind }) => kind === 'expression')
  const numbers = tool.slots.filter(({ kind }) => kind === 'number')
  if (!expression && numbers.length < 2) return new Map()
  const { text } = reading
  const found = sumIn(reading)
  if (expression) return new Map(found && [[expression.name, found.expression]])
  const operands = found?.binary && byOperation(tool, numbers, found.binary)
  if (operands) return new Map(operands)
  // Exactly two numbers, without a percent sign that would change them.
  const written = findNumbers(text).filter(({ value }) => Number.isFinite(value))
  const isPair = written.length === 2 && !/%|\bpercent\b/i.test(text)
  const isOther = isCalculator(tool) && (found !== undefined || !isPair)
  return new Map(isOther ? numbers.map(({ name }) => [name, undefined]) : [])
}

const sumIn = onceFor(({ text }: Reading) => findArithmetic(text))

type Binary = NonNullable<Arithmetic['binary']>
type Entries = [name: string, value: unknown][]

function byOperation(tool: PlannerTool, [first, second]: Slot[], binary: Binary): Entries | undefined {
  if (!first || !second) return undefined
  const operands: Entries = [
    [first.name, binary.a],
    [second.name, binary.b],
  ]
  if (isNamedFor(tool, binary.operation)) return operands
  const chosen = tool.slots
    .filter(({ kind }) => kind === 'choice')
    .map((choice) => [choice.name, namedIn(choice, binary.operation)] as const)
    .find(([, value]) => value !== undefined)
  return chosen && [...operands, [...chosen]]
}

// A tool with two numbers and an operation among its choices or in its name.
function isCalculator(tool: PlannerTool): boolean {
  const operations = Object.keys(operationNames) as Operation[]
  const isChosen = (operation: Operation) =>
    tool.slots.some((slot) => slot.kind === 'choice' && namedIn(slot, operation) !== undefined)
  return operations.some((operation) => isNamedFor(tool, operation)) || operations.filter(isChosen).length > 1
}

// "Multiply" with two numbers, or "multiply_numbers"; not "add_item", which has other parameters too.
function isNamedFor(tool: PlannerTool, operation: Operation): boolean {
  const required = tool.slots.filter((slot) => slot.required)
  const words = splitName(tool.name).split(' ')
  return (
    required.length === 2 &&
    required.every(({ kind }) => kind === 'number') &&
    words.some((word) => operationNames[operation].test(word))
  )
}

const operationNames: Readonly<Record<Operation, RegExp>> = {
  add: /^(?:add|addition|plus|sum|\+)$/i,
  subtract: /^(?:sub|subtract|subtraction|minus|difference|-)$/i,
  multiply: /^(?:mul|multiply|multiplication|times|product|\*|x)$/i,
  divide: /^(?:div|divide|division|quotient|\/)$/i,
  power: /^(?:pow|power|exponent|exponentiate|\^|\*\*)$/i,
  percent: /^(?:percent|percentage|percent_of|percentage_of|%)$/i,
}

function namedIn({ schema }: Slot, operation: Operation): unknown {
  const values = Array.isArray(schema.enum) ? schema.enum : []
  return values.find((value) => operationNames[operation].test(String(value)))
}
