import { moodOf } from './accounting.js'
import { type Clause, isRefusal, type Reading, readClause, toClauses, type Vocabulary } from './clauses.js'
import type { AnsweredCall, EarlierTurn, Turn } from './conversation.js'
import { type RequestPart, toRequestParts } from './exact-calls.js'
import { fillArguments, isSure } from './fill-arguments.js'
import { toChangedSlots, toFillContext } from './fill-context.js'
import type { PlannerTool } from './planner-tool.js'
import { minimumFit, scoreTools, toRarity } from './score-tool.js'
import { type Choose, splitTask } from './split-task.js'
import {
  addTo,
  choosesFor,
  extendTask,
  fillAlone,
  findId,
  isChange,
  isSame,
  isUndecided,
  type Task,
  toCondition,
  toSource,
  toSupply,
  withLookup,
} from './task.js'
import { isWorded } from './text-candidates.js'
import { actionsOf, knows, ownCorrection, splitName, stopWords, toConcept, weightOf } from './words.js'
/** Returns the tasks of the last request: written calls, an answer to "which city?", a change, or clauses. */
export function toTasks({ request, attachments, earlier }: Turn, tools: readonly PlannerTool[], now: Date) {
  const vocabulary = toVocabulary(tools)
  const at = { earlier: earlier.artifacts, attachments, now, turns: earlier.turns }
  const assign = (text: string) => assignTools(toClauses(text, vocabulary), tools, at)
  const parts = toRequestParts(request, tools)
  if (parts.some((part) => typeof part !== 'string')) return joinParts(parts, assign, now)
  const corrected = toCorrection(request, tools, at, earlier.turns.at(-1)?.calls)
  if (corrected) return { tasks: [corrected], unmatched: [] }
  const alone = assign(request)
  const isCommand = actionsOf(/^\p{L}+/u.exec(request)?.[0] ?? '').size > 0
  if (isCommand && alone.tasks.some(isComplete)) return alone
  let open = ''
  for (const before of [...earlier.turns].reverse()) {
    if (before.calls.length > 0) break
    open = [before.request.replace(/[\s.!?]+$/, ''), open].filter((text) => text !== '').join(', ')
    const said = assign(open).tasks
    if (said.length === 0) continue
    // A complete request was answered, but its calls are not in the messages: the latest words change it.
    const calls = said.filter(isComplete).map(toCall)
    const reading = readClause(request, now)
    const changed =
      calls.length === said.length && toFollowUp({ clause: { text: request }, reading, tools, calls })
    if (changed) return { tasks: [changed], unmatched: [] }
    const whole = assign(`${open}, ${request}`)
    if (whole.tasks.length > 0 && whole.tasks.every(isComplete)) return whole
  }
  return alone
}

// Joins the tasks of calls that are written out with those of the words between them.
function joinParts(parts: readonly RequestPart[], assign: (text: string) => Assignment, now: Date) {
  const tasks: Task[] = []
  const unmatched: string[] = []
  for (const part of parts) {
    const offset = tasks.length
    const last = offset > 0 ? offset - 1 : undefined
    if (typeof part === 'string') {
      const found = assign(part)
      const shifted = (index: number | undefined) => (index === undefined ? undefined : index + offset)
      const isSequel = /^\W*(?:and\s+)?(?:then|next|finally|after that)\b/i.test(part)
      tasks.push(
        ...found.tasks.map((task) => ({
          ...task,
          source: shifted(task.source),
          after: shifted(task.after) ?? (isSequel ? last : undefined),
        })),
      )
      unmatched.push(...found.unmatched)
    } else {
      const { tool, arguments: exact, isSequel } = part
      const clause = { text: tool.name }
      tasks.push({ clause, reading: readClause('', now), tool, exact, ...(isSequel && { after: last }) })
    }
  }
  return { tasks, unmatched }
}

// "No, I meant 30", "make that 5", "actually, Tuesday": the same call with another value.
function toCorrection(
  request: string,
  tools: readonly PlannerTool[],
  { now }: RequestContext,
  calls: FollowUp['calls'] = [],
): Task | undefined {
  const said = request.replace(
    /^((?:no|nope|sorry|oops|wait|hmm)[\s,.!-]+)?not\s+(?:(?:on|at|in|for|to|the)\s+)*[^,.]{1,40}[,.]\s*(?:but\s+)?/i,
    '$1',
  )
  const [lead = ''] = correction.exec(said) ?? []
  if (lead === '' || calls.length === 0) return undefined
  const text = said
    .slice(lead.length)
    .replace(/,?\s*\b(?:not|instead of|rather than)\s+(?:on\s+|at\s+|the\s+)?\S+/i, '')
    .replace(/[\s,]*\b(?:instead|rather|please|thanks|sorry)\b/gi, '')
    .replace(/^[\s,:-]+|[\s.!?,]+$/g, '')
  const [verb = ''] = /^\p{L}+/u.exec(text) ?? []
  if (text === '' || actionsOf(verb).size > 0) return undefined
  const reading = readClause(text, now)
  return toFollowUp({ clause: { text }, reading, tools, calls, isCorrection: true })
}

function toCall({ tool, reading }: Task): Pick<AnsweredCall, 'name' | 'arguments'> {
  return { name: tool.name, arguments: fillAlone(tool, reading).arguments }
}

const correction =
  /^(?:(?:no|nope|sorry|oops|wait|hmm|oh|ah|ups|whoops|my mistake|my bad|correction|scratch that|wrong(?: \w+)?|ok|okay)\b[\s,.!:-]*)*(?:(?:but\s+)?actually\b[\s,]*(?:(?:make|change) (?:that|it)(?: to)?\s+|it(?:['’]s| is| was) |(?:i|we) (?:meant|mean)\s+|we are\s+|we['’]re\s+)?|(?:(?:i|we) (?:meant|mean|said|want(?:ed)?|need(?:ed)?)(?: to say)?|(?:please )?make (?:that|it)|(?:please )?change (?:that|it) to|(?:it|that) (?:should (?:be|have been)|was supposed to be|is|was)|should (?:be|have been)|let['’]s (?:make it|say)|rather|better make it|correction:?)\s+)|^(?:no|nope|sorry|oops|wait|correction|whoops)\b[\s,.!:-]+(?=\S)/i

// An open request that the latest words do not complete is dropped: "Never mind".
function isComplete(task: Task): boolean {
  return task.source !== undefined || isWhole(task)
}

function isWhole({ tool, reading, base, exact }: Task): boolean {
  if (exact || base) return true
  const filled = fillAlone(tool, reading)
  return isSure(filled) && filled.missing.every(({ kind }) => kind === 'artifact')
}

function toVocabulary(tools: readonly PlannerTool[]): Vocabulary {
  const names = tools.map(({ name }) => splitName(name).toLowerCase().split(' '))
  const verbs = names.flatMap(([verb = '', noun = '']) => [verb, `${verb} ${toConcept(noun)}`])
  const nouns = tools.flatMap(({ nameConcepts }) => [...nameConcepts].filter((one) => weightOf(one) === 1))
  return { verbs: new Set(verbs), nouns: new Set(nouns) }
}

export interface Assignment {
  readonly tasks: readonly Task[]
  readonly unmatched: readonly string[]
}

interface RequestContext {
  readonly earlier: readonly string[]
  readonly attachments: readonly string[]
  readonly now: Date
  readonly turns: readonly EarlierTurn[]
}

function assignTools(clauses: readonly Clause[], tools: readonly PlannerTool[], at: RequestContext) {
  const choose = toChooser(tools, at)
  const tasks: Task[] = []
  const unmatched: string[] = []
  // The task of each clause, or the previous task if the clause has none.
  const positions: (number | undefined)[] = []
  let before: { readonly clause: Clause; readonly first: number; readonly isOpen: boolean } | undefined
  let condition: Pick<Task, 'condition' | 'after'> | undefined
  for (const [index, whole] of clauses.entries()) {
    const changed = index < mostClauses ? correctLast(whole.text, { tasks, tools, at }) : [whole.text]
    const left = changed ?? (isRefusal(whole.text) ? [whole.text] : undefined)
    if (left) {
      unmatched.push(...left)
      positions.push(tasks.length > 0 ? tasks.length - 1 : undefined)
      continue
    }
    const first = tasks.length
    const told = toCondition(whole.text)
    if (!told && isUndecided(whole.text) && index < clauses.length - 1) {
      unmatched.push(...clauses.slice(index).map(({ text }) => text))
      break
    }
    const clause = told ? { ...whole, text: told.read } : whole
    const alone = readClause(clause.text, at.now)
    const found = choose(alone, tasks)
    const isSafe = found !== undefined && isCertain(found, alone, tasks)
    const joined = before && !isSafe ? join(before.clause, clause, { choose, at }) : undefined
    if (before && joined && (before.isOpen || (found !== undefined && joined.tool === tasks.at(-1)?.tool))) {
      if (tasks.length === before.first) unmatched.pop()
      tasks.splice(before.first, tasks.length, { ...joined, ...condition })
      positions.push(tasks.length - 1)
      before = { clause: joined.clause, first: tasks.length - 1, isOpen: false }
      continue
    }
    const previous = tasks.at(-1)
    const addition =
      !previous || (isSafe && found !== previous.tool && fillAlone(found, alone).doubts.length === 0)
        ? undefined
        : addTo(previous, { clause, reading: alone, tool: previous.tool })
    if (addition) {
      tasks[tasks.length - 1] = addition
      positions.push(tasks.length - 1)
      continue
    }
    const after = clause.after === undefined ? undefined : positions[clause.after]
    const isTaken = found
      ? addTasks({ clause, reading: alone, tool: found, after }, { tasks, tools, at, condition, choose })
      : continueTasks({ clause, reading: alone }, { tasks, tools, at, choose })
    if (!isTaken) unmatched.push(clause.text)
    positions.push(tasks.length > 0 ? tasks.length - 1 : undefined)
    before = told ? undefined : { clause, first, isOpen: !isSafe && (found !== undefined || !isTaken) }
    if (told) condition = { condition: told.condition, after: tasks.length - 1 }
    if (condition?.after === -1) break
  }
  const remarks = [...unmatched, ...tasks.flatMap((task) => (isWhole(task) ? [] : task.clause.text))]
  return { tasks: tasks.map((task) => withRemarks(task, remarks, at.now)), unmatched }
}

// "Book a room. We are 3", "The police know about it": a remark may tell what the call lacks.
function withRemarks(task: Task, remarks: readonly string[], now: Date): Task {
  const { tool, base, exact } = task
  const args: Readonly<Record<string, unknown>> = { ...base, ...fillAlone(tool, task.reading).arguments }
  const open = tool.slots.filter(({ name }) => !Object.hasOwn(args, name))
  const unclear = remarks.filter((text) => {
    const reading = readClause(text, now)
    const isTelling = telling.test(text) || isRefusal(text) || moodOf(reading) === 'statement'
    if (exact || !isTelling || text === task.clause.text) return false
    const { arguments: said, given } = fillAlone(tool, reading)
    const isOther = tool.slots.some(
      (slot) => given.has(slot.name) && !isWorded(slot) && !isSame(said[slot.name], args[slot.name]),
    )
    const isNear = [...reading.concepts].some(
      (concept) =>
        weightOf(concept) === 1 &&
        (!tool.nameConcepts.has(concept) || denial.test(text)) &&
        open.some(({ core, textConcepts }) => knows(core, concept) || knows(textConcepts, concept)),
    )
    return (
      isOther ||
      isNear ||
      /^(?:keep|leave)\b/i.test(text) ||
      reading.numbers.length + reading.dates.length > 0
    )
  })
  return unclear.length > 0 ? { ...task, unclear } : task
}

const denial = /\b(?:not?|never|cannot|\p{L}+n['’]t)\b/iu
const telling =
  /^(?:i|you|it|that|this|he|she|they|we|there|my|our|his|her|their|the|add|include|use|charge|keep|leave|bring)\b/i

// "Don't return the full text", "Please include the photos": only a flag of the call before.
function toSwitched(task: Task, text: string, now: Date): Task | undefined {
  const isNot = isRefusal(text)
  if (!isNot && !/^(?:include|return|show|add|with)\b/i.test(text)) return undefined
  const plain = text.replace(
    /^(?:(?:don['’]?t|do not|never|without|no)\s+)?(?:(?:include|return|show|add|give|with)\s+)?/i,
    '',
  )
  const { tool } = task
  const reading = readClause(`${isNot ? 'without' : 'with'} ${plain}`, now)
  const { given, unused } = fillAlone(tool, reading)
  const isFlag = (name: string) => tool.slots.some((slot) => slot.name === name && slot.kind === 'flag')
  if (given.size === 0 || unused > 0 || ![...given].every(isFlag)) return undefined
  return addTo(task, { clause: { text }, reading, tool })
}

// Limits the work of a hostile request.
const mostClauses = 40

interface TasksSoFar {
  /** The tasks. The array is changed in place. */
  readonly tasks: Task[]
  readonly tools: readonly PlannerTool[]
  readonly at: RequestContext
  readonly choose: Choose
  readonly condition?: Pick<Task, 'condition' | 'after'> | undefined
}

/** Replaces the last task with its correction. Returns the texts without a task. Undefined if nothing is corrected. */
function correctLast(text: string, { tasks, tools, at }: Pick<TasksSoFar, 'tasks' | 'tools' | 'at'>) {
  const [last] = tasks.slice(-1)
  const switched = last && toSwitched(last, text, at.now)
  if (switched) tasks.splice(-1, 1, switched)
  if (switched) return []
  if (!last || !ownCorrection.test(text) || last.tool.makes || last.tool.worksOn) return undefined
  const isClear = isSure(fillAlone(last.tool, last.reading))
  const corrected = isClear ? toCorrection(text, tools, at, [toCall(last)]) : undefined
  tasks.splice(-1, 1, ...(corrected ? [corrected] : []))
  return corrected ? [] : [last.clause.text, text]
}

/** Adds the tasks of a clause with a tool, or adds its values to the task that they belong to. */
function addTasks(
  { clause, reading, tool, after }: Pick<Task, 'clause' | 'reading' | 'tool' | 'after'>,
  { tasks, tools, at, condition, choose }: TasksSoFar,
): boolean {
  const base = toRepeatedArguments(tool, reading, at.turns.at(-1))
  const supply = toSupply(tool, reading, tasks)
  const giver = tasks[supply?.shares ?? -1]
  // "I had an apple, log it": the call of the clause before.
  const own = fillAlone(tool, reading)
  if (giver?.tool === tool && own.given.size === 0 && own.doubts.length === 0)
    return /\b(?:it|them|that|this)\b/i.test(clause.text)
  const added = addTo(giver, { clause, reading, tool })
  if (added && supply?.shares !== undefined) tasks[supply.shares] = added
  else {
    const task = { clause, reading, tool, after, ...supply, ...(base && { base }) }
    const split = splitTask(task, at.now, choose) ?? withLookup(task, tools, tasks.length)
    tasks.push(...split.map((one) => ({ ...one, ...condition })))
  }
  return true
}

/** Treats a clause without a tool as part of an earlier request. Returns false if that is impossible. */
function continueTasks(
  { clause, reading }: Pick<Task, 'clause' | 'reading'>,
  { tasks, tools, at }: TasksSoFar,
): boolean {
  const followUp =
    tasks.length > 0 ? undefined : toFollowUp({ clause, reading, tools, calls: at.turns.at(-1)?.calls })
  const widened = extendTask(tasks.at(-1), clause, at)
  if (followUp) tasks.push(followUp)
  else if (widened) tasks[tasks.length - 1] = widened
  return (followUp ?? widened) !== undefined
}

function isCertain(tool: PlannerTool, reading: Reading, tasks: readonly Task[]): boolean {
  if (tool.worksOn || tool.makes || toSource(tool, reading, tasks) !== undefined) return true
  const { missing, doubts } = fillAlone(tool, reading)
  return doubts.length === 0 && (missing.length === 0 || toSupply(tool, reading, tasks) !== undefined)
}

// "Container K-207 is full, fetch it on Friday": two clauses that one call answers.
function join(before: Clause, { text }: Clause, { choose, at }: { choose: Choose; at: RequestContext }) {
  if (before.text.length + text.length > longestJoined) return undefined
  const clause = { ...before, text: `${before.text}, ${text}` }
  const reading = readClause(clause.text, at.now)
  const tool = choose(reading, [])
  if (!tool) return undefined
  const { missing, doubts, given } = fillAlone(tool, reading)
  const isBoth = [before.text, text].every((part) => {
    const own = fillAlone(tool, readClause(part, at.now)).given
    return [...own].some((name) => given.has(name)) || /^\p{L}+ (?:it|them)$/u.test(part)
  })
  return missing.length === 0 && doubts.length === 0 && isBoth ? { clause, reading, tool } : undefined
}

const longestJoined = 400

// Placeholders for the artifacts of earlier clauses. They never reach a call.
const placeholders = { image: 'img_expected', audio: 'aud_expected' }

function toChooser(tools: readonly PlannerTool[], { earlier, attachments }: RequestContext): Choose {
  const shareOf = toRarity(tools)
  return (reading: Reading, tasks: readonly Task[]): PlannerTool | undefined => {
    const expected = tasks.flatMap(({ tool }) => (tool.makes ? [placeholders[tool.makes]] : []))
    const artifacts = [...earlier, ...attachments, ...expected]
    const inHand = attachments.length > 0 || tasks.at(-1)?.tool.makes !== undefined
    const selects = tasks.length > 0
    const contexts = tools.map((tool) => ({ ...toFillContext(tool, reading, artifacts, inHand), selects }))
    const scored = scoreTools(contexts, shareOf).map(({ tool, fit, rank, filled }) => {
      const refers = choosesFor(tool, reading, tasks) ? 2 : 0
      const lack = filled?.missing.length ?? 0
      const isDoubtful = filled?.doubts.length !== 0
      const isSupplied =
        refers === 0 && lack > 0 && !isDoubtful && toSupply(tool, reading, tasks) !== undefined
      const linked = isSupplied ? 1 + 0.5 * lack : refers
      return { tool, isClear: lack === 0 && !isDoubtful, fit: fit + linked, rank: rank + linked }
    })
    const fitting = scored.filter(({ fit }) => fit >= minimumFit)
    const [best, ...others] = fitting.sort((one, other) => other.rank - one.rank)
    const equal = others.filter(({ isClear, rank }) => best?.isClear && isClear && best.rank - rank < 0.5)
    const spoken = [best, ...equal].filter((one) => one?.tool.nameConcepts.has(toConcept(reading.verb)))
    if (equal.length > 0 && spoken.length === 1) return spoken[0]?.tool
    if (best && equal.length > 0) return namedApart([best, ...equal], reading)
    const isChange = [...actionsOf(reading.verb)].some(
      (action) => action !== 'read' && action !== 'interpret',
    )
    if (!best?.tool.actions.has('read') || !isChange) return best?.tool
    const clause = { text: reading.text }
    const changing = others.filter(({ tool }) => !tool.actions.has('read')).slice(0, 4)
    return (changing.find(({ tool }) => findId({ clause, reading, tool }, tools, 0)) ?? best).tool
  }
}

// "Find the near book" names near_find_book, not far_find_book: the same tool from two servers.
function namedApart(equal: readonly { readonly tool: PlannerTool }[], { masked }: Reading) {
  const said = new Set(masked.toLowerCase().match(/\p{L}{3,}/gu))
  const names = equal.map(({ tool }) => splitName(tool.name).toLowerCase().split(' '))
  if (new Set(names.map(([, ...name]) => name.join(' '))).size > 1) return undefined
  const [named, other] = equal.filter((_, at) => said.has(names[at]?.[0] ?? ''))
  return other ? undefined : named?.tool
}

/** The parts of a follow-up such as "and in Rome?". */
interface FollowUp {
  readonly clause: Clause
  readonly reading: Reading
  readonly tools: readonly PlannerTool[]
  readonly calls?: readonly Pick<AnsweredCall, 'name' | 'arguments'>[] | undefined
  readonly isCorrection?: boolean
}

/** Reads a clause without a tool as a change to the last call: "and in Rome?", "only the shipped ones". */
function toFollowUp({ clause, reading, tools, calls = [], isCorrection = false }: FollowUp) {
  if (!isCorrection && !isFragment(clause.text)) return undefined
  const fits = [...calls].reverse().flatMap((call) => {
    const tool = tools.find(({ name }) => name === call.name)
    const filled =
      tool &&
      fillArguments(toChangedSlots(tool, call.arguments), {
        ...toFillContext(tool, reading, []),
        follows: true,
      })
    const changes = filled && [...filled.given].some((name) => isChange(name, tool, filled))
    return tool && filled && changes ? [{ call, tool, filled }] : []
  })
  const best = fits.find(({ filled }) => filled.doubts.length === 0) ?? fits[0]
  if (!best) return undefined
  return { clause, reading, tool: best.tool, base: best.call.arguments }
}

/** Returns the arguments of the last call for "Another one", if the same tool was just used. */
function toRepeatedArguments(tool: PlannerTool, { masked }: Reading, earlier: EarlierTurn | undefined) {
  const said = (masked.match(/[\p{L}'’]+/gu) ?? []).filter((word) => actionsOf(word).size === 0)
  const isAgain =
    again.test(masked) && said.every((word) => again.test(word) || stopWords.has(word.toLowerCase()))
  return isAgain ? earlier?.calls.findLast(({ name }) => name === tool.name)?.arguments : undefined
}

const again = /\b(?:another|again|once|more|same)\b/i

// Greetings, thanks and entire sentences: they change no call.
const remark =
  /^(?:thanks?|thank|great|nice|good|cool|perfect|ok|okay|yes|no|sure|well|hello|hi|hey|bye|sorry|i|you|it|that|this|he|she|they|we|why|who|how|what)\b/i

function isFragment(text: string): boolean {
  const words = text.replace(lead, '').split(/\s+/)
  return words.length <= 10 && !remark.test(words.join(' ')) && actionsOf(words[0] ?? '').size === 0
}

const lead =
  /^(?:(?:and\s+)?(?:(?:do\s+)?(?:the\s+)?same(?:\s+again|\s+thing)?|ditto|also)\s+(?:for|with|on|at|in)|what about|how about|what of|and|or|only|just|but)\s+/i
