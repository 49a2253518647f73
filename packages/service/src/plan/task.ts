import { isRecord } from '../json.js'
import { type Clause, type Reading, readClause, type Span } from './clauses.js'
import type { AnsweredCall, Turn } from './conversation.js'
import { type Filled, fillArguments } from './fill-arguments.js'
import { type FillContext, toFillContext } from './fill-context.js'
import { isIdentifier } from './number-candidates.js'
import { findNumbers } from './numbers.js'
import type { PlannerTool, Slot } from './planner-tool.js'
import { isAboutAttachment, isPronominal, refersToArtifact, toDefiniteNouns } from './references.js'
import { splitName } from './words.js'

export interface Task {
  readonly clause: Clause
  readonly reading: Reading
  readonly tool: PlannerTool
  /** The arguments of a call that the user wrote out. */
  readonly exact?: Readonly<Record<string, unknown>>
  /** The arguments of an earlier call that this task changes: "and in Rome?" */
  readonly base?: Readonly<Record<string, unknown>>
  /** The index of the task whose arguments complete this one: "and the same for room 7". */
  readonly shares?: number
  /** The index of the task whose product this one uses. */
  readonly source?: number | undefined
  /** The condition on the result of the task in `after`. */
  readonly condition?: Condition
  /** Words of the clause that belong to another task of the same clause. */
  readonly elsewhere?: FillContext['elsewhere']
  readonly after?: number | undefined
  /** Remarks of the request that may change the call. */
  readonly unclear?: readonly string[]
}

export interface PlannedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export interface TaskState {
  /** `open`: its calls must still be made. `waiting`: another task must end first. `stuck`: it cannot be done. */
  readonly status: 'done' | 'open' | 'waiting' | 'stuck'
  readonly calls: readonly AnsweredCall[]
  readonly next?: readonly PlannedCall[]
  /** The message for the user, if the task is stuck for a reason other than a failed call. */
  readonly note?: string
}

/** The tasks of a request during their replay. `states` contains the states of the tasks before the current one. */
export interface Replay {
  readonly tasks: readonly Task[]
  readonly states: readonly TaskState[]
  readonly turn: Turn
}

export function artifactsOf(index: number | undefined, { states }: Replay): string[] {
  const calls = index === undefined ? [] : (states[index]?.calls ?? [])
  return calls.flatMap(({ artifacts }) => artifacts)
}

/** A comparison that a result must pass: "if fewer than 50 are left". */
export type Condition = NonNullable<ReturnType<typeof toCondition>>['condition']

/** Returns the condition in a clause, and the words that name the value to compare. */
export function toCondition(text: string) {
  const match = comparison.exec(text)
  const [, before = '', between = '', word = ''] = match ?? []
  const rest = text.slice(match?.[0].length ?? 0)
  const [limit] = findNumbers(rest)
  if (!match || !limit || !/^[$€£\s]*$/.test(rest.slice(0, limit.start))) return undefined
  const subject = `${between} ${rest.slice(limit.end)}`.replace(empty, ' ').replace(/\s+/g, ' ').trim()
  const isBelow = /^(?:fewer|less|under|below|at most|no more)/i.test(word)
  // The limit itself passes a closed condition.
  const condition = { isBelow, isClosed: /^(?:at|no)\b/i.test(word), limit: limit.value }
  const lead = before.replace(/[\s,]+(?:and|but)?[\s,]*$/i, '')
  return { condition, read: lead === '' ? `check ${subject}` : `${lead} ${subject}`.trim() }
}

const comparison =
  /^(.*?)\b(?:if|in case|should)\b(.*?)\b((?:fewer|less|more) than|under|over|below|above|at least|at most|no more than)\s+/i
// Words that carry a comparison and do not name anything.
const empty =
  /\b(?:there|we|they|it|i|only|are|is|have|has|got|drops?|falls?|goes|of|the|then)\b|['’](?:s|re|ve)\b/gi

/** Whether a clause makes later ones depend on something that the planner cannot decide. */
export function isUndecided(text: string): boolean {
  return /^(?:(?:and|but|only)\s+)?(?:if|unless|when|once|in case|provided|as soon as)\b(?! possible| needed| you can)/i.test(
    text,
  )
}

/** Whether a result passes a condition. Undefined if it does not contain exactly one number. */
export function passes(result: unknown, { isBelow, isClosed, limit }: Condition): boolean | undefined {
  const numbers = typeof result === 'number' ? [result] : isRecord(result) ? Object.values(result) : []
  const [value, ...others] = numbers.filter((one) => typeof one === 'number')
  if (typeof value !== 'number' || others.length > 0) return undefined
  if (value === limit) return isClosed
  return isBelow ? value < limit : value > limit
}

export function fillAlone(tool: PlannerTool, reading: Reading): Filled {
  return fillArguments(tool.slots, toFillContext(tool, reading, []))
}

/** Adds a clause that only contains arguments to the call before it: "Cancel T-7731, and charge no fee". */
export function addTo(
  task: Task | undefined,
  { clause, reading, tool }: Pick<Task, 'clause' | 'reading' | 'tool'>,
): Task | undefined {
  if (!task || task.tool !== tool || task.exact) return undefined
  const before = fillAlone(tool, task.reading)
  const { given, arguments: args, doubts, guesses } = fillAlone(tool, reading)
  if (given.size === 0 || doubts.length > 0 || guesses > 0 || before.missing.length > 0) return undefined
  const isOther = [...given].some(
    (name) => before.given.has(name) && !isSame(before.arguments[name], args[name]),
  )
  return isOther || before.fan
    ? undefined
    : { ...task, clause, reading, base: { ...task.base, ...before.arguments } }
}

/** Adds the arguments of a clause without a tool to the task before it: "What is the weather", "in Oslo?". */
export function extendTask(
  task: Task | undefined,
  { text }: Clause,
  { attachments, now }: { readonly attachments: readonly string[]; readonly now: Date },
): Task | undefined {
  if (!task) return undefined
  const reading = readClause(`${task.clause.text} and ${text}`, now)
  const [before, after] = [task.reading, reading].map(
    (words) => fillArguments(task.tool.slots, toFillContext(task.tool, words, attachments)).arguments,
  )
  // "Remind me to call Bob and feed the cat": one text.
  const isText = Object.entries(before ?? {}).some(
    ([name, value]) => task.reading.text.endsWith(` to ${value}`) && after?.[name] === `${value} and ${text}`,
  )
  const isMore = Object.keys(after ?? {}).length > Object.keys(before ?? {}).length
  return isText || isMore ? { ...task, reading } : undefined
}

/** Whether the fragment contains a value for a parameter, not only the parameter's own words. */
export function isChange(name: string, { makes, slots }: PlannerTool, { given, loose }: Filled): boolean {
  if (loose.has(name) && [...given].some((other) => !loose.has(other))) return false
  const isPrompt = makes !== undefined && slots.some((slot) => slot.name === name && slot.kind === 'text')
  return given.has(name) && !isPrompt
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Returns the earlier task that supplies what a task lacks, from its arguments or its result. */
export function toSupply(tool: PlannerTool, reading: Reading, tasks: readonly Task[]) {
  const source = toSource(tool, reading, tasks)
  const own: Pick<Task, 'source' | 'shares'> | undefined = source === undefined ? undefined : { source }
  if (tool.worksOn || tool.makes || tasks.length === 0) return own
  const { missing } = fillAlone(tool, reading)
  if (missing.length === 0) return own
  const giver = source === undefined ? undefined : tasks[source]
  if (
    giver &&
    tool.slots.some(
      (slot) =>
        slot.kind === 'code' &&
        !slot.required &&
        [...slot.core].some((one) => giver.tool.nameConcepts.has(one)),
    )
  )
    return own
  const shares = tasks.findLastIndex((task) => {
    const given = task.exact ? new Set(Object.keys(task.exact)) : fillAlone(task.tool, task.reading).given
    return missing.every(({ name, kind }) => given.has(name) && kind !== 'text')
  })
  return shares >= 0 ? { shares } : own
}

export function withLookup(task: Task, tools: readonly PlannerTool[], position: number): Task[] {
  if (task.source !== undefined || task.shares !== undefined || task.base) return [task]
  const found = findLookup(task, tools)
  if (found)
    return [
      { ...task, tool: found, elsewhere: { tool: task.tool, spans: [] } },
      { ...task, source: position },
    ]
  return findId(task, tools, position) ?? [task]
}

/** Finds a tool that returns the id that a task lacks: "book Ann into the first free class on Monday". */
export function findId(task: Task, tools: readonly PlannerTool[], position: number): Task[] | undefined {
  const { tool, reading } = task
  const own = fillAlone(tool, reading)
  const [lacking, ...others] = own.missing
  if (!lacking || others.length > 0 || tool.worksOn || tool.makes) return undefined
  const found = tools.flatMap((one) => {
    if (one === tool || one.makes || one.worksOn || !one.actions.has('read')) return []
    const isId = isIdentifier(lacking) && makesFor(one, { slots: [lacking] })
    const givesTimes = /\b(?:slots?|times?|availab|free)/.test(splitName(one.name).toLowerCase())
    if (!isId && !(lacking.kind === 'time' && givesTimes)) return []
    const fill = (filled: PlannerTool, other: PlannerTool, spans: readonly Span[]) =>
      fillArguments(filled.slots, {
        ...toFillContext(filled, reading, []),
        elsewhere: { tool: other, spans },
        selects: true,
      })
    const told = fill(one, tool, own.personal)
    if (told.missing.length > 0 || told.evidence < 0.5 || told.guesses > 0) return []
    const rest = fill(tool, one, told.spans)
    const spans = [...own.personal, ...rest.spans]
    const back = fill(one, tool, spans)
    const isClear = rest.doubts.length === 0 && back.doubts.length === 0
    return isClear ? [{ one, told, spans }] : []
  })
  const [best, rival] = found.sort((one, other) => other.told.evidence - one.told.evidence)
  if (!best || rival) return undefined
  return [
    { ...task, tool: best.one, elsewhere: { tool, spans: best.spans } },
    { ...task, source: position, elsewhere: { tool: best.one, spans: best.told.spans } },
  ]
}

/** Finds a tool that must run first: "draw the weather in Oslo" needs one that reports the weather. */
function findLookup({ reading, tool }: Task, tools: readonly PlannerTool[]): PlannerTool | undefined {
  const passesOn = tool.makes !== undefined || tool.actions.has('send')
  if (!passesOn || tool.worksOn) return undefined
  const nouns = toDefiniteNouns(reading.masked).filter((noun) => !tool.nameConcepts.has(noun))
  return tools.find((one) => {
    if (one === tool || one.makes || !nouns.some((noun) => one.nameConcepts.has(noun))) return false
    const { missing, evidence } = fillArguments(one.slots, toFillContext(one, reading, []))
    return missing.length === 0 && evidence >= 1
  })
}

/** Returns the index of the earlier task whose product a clause uses. Undefined for an attachment. */
export function toSource(tool: PlannerTool, reading: Reading, earlier: readonly Task[]): number | undefined {
  const { masked } = reading
  const all = earlier.map((task, index) => ({ task, index }))
  const makers = all.filter(({ task }) => task.tool.makes)
  if (tool.worksOn) {
    if (reading.artifacts.length > 0 || isAboutAttachment(reading)) return undefined
    const source =
      named(masked, tool, makers) ?? makers.at(-1) ?? (refersToArtifact(reading) ? all.at(-1) : undefined)
    return source?.index
  }
  const spoken = named(masked, tool, all)
  if (spoken) return spoken.index
  const maker = all.findLast(({ task }) => makesFor(task.tool, tool))
  const refers = choosing.test(masked) || isPronominal(masked) || personal.test(masked)
  if (maker && (refers || definite.test(masked))) return maker.index
  if (!isPronominal(masked) && !resultNoun.test(masked) && !choosing.test(masked)) return undefined
  return (all.findLast(({ task }) => !task.tool.makes) ?? all.at(-1))?.index
}

/** Whether a clause chooses among the things of an earlier task whose id a tool needs. */
export function choosesFor(tool: PlannerTool, { masked }: Reading, earlier: readonly Task[]): boolean {
  const refers = choosing.test(masked) || isPronominal(masked) || personal.test(masked)
  return refers && earlier.some((task) => makesFor(task.tool, tool))
}

/** Whether an earlier tool is about the thing whose id a later one needs. */
function makesFor({ nameConcepts, textConcepts }: PlannerTool, { slots }: Pick<PlannerTool, 'slots'>) {
  return slots
    .filter(needsId)
    .some(({ core }) => [...core].some((concept) => nameConcepts.has(concept) || textConcepts.has(concept)))
}

function needsId({ required, words, kind, description }: Slot): boolean {
  return (
    required &&
    (kind === 'code' ||
      /\b(?:id|number|no|code|reference|ref)$/.test(words) ||
      (kind === 'number' && /\bnumber$/.test(description)))
  )
}

const choosing =
  /\bthe\s+(?:first|second|third|fourth|fifth|last|latest|newest|oldest|earliest|best|worst|most|least|next|top|\w{3,}est)\b/i
const personal = /\b(?:her|his|him|their|she|he|they)\b/i
const definite = /\b(?:the|that|this|those|these)\s+\p{L}/iu

const resultNoun =
  /\b(?:the|that|this|its)\s+(?:results?|answers?|output|numbers?|total|transcript|translation|text|forecast|findings)\b/i

// "Read the weather aloud": a noun that is not the tool's own subject and has occurred before.
function named(masked: string, tool: PlannerTool, among: readonly { task: Task; index: number }[]) {
  const nouns = toDefiniteNouns(masked)
  const foreign = nouns.filter((noun) => !tool.nameConcepts.has(noun) && !tool.textConcepts.has(noun))
  return among.findLast(({ task }) => {
    return foreign.some((noun) => task.reading.concepts.has(noun) || task.tool.nameConcepts.has(noun))
  })
}
