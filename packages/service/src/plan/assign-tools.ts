import { type Clause, toClauses, type Vocabulary } from './clauses.js'
import type { EarlierTurn, Turn } from './conversation.js'
import { type Filled, fillArguments } from './fill-arguments.js'
import { toFillContext } from './fill-context.js'
import type { PlannerTool } from './planner-tool.js'
import { type Reading, readClause } from './read-clause.js'
import { toDefiniteNouns, toSource } from './references.js'
import { minimumFit, scoreTool, toRarity } from './score-tool.js'
import type { Task } from './task.js'
import { actionsOf, splitName, stopWords, weightOf } from './words.js'

/**
 * Returns the tasks of the last request. Reads an answer to "which city?" as the end of the request before
 * it.
 */
export function toTasks(
  { request, attachments, earlier }: Turn,
  tools: readonly PlannerTool[],
  now: Date,
): Assignment {
  const vocabulary = toVocabulary(tools)
  const at = { earlier: earlier.artifacts, attachments, now, turns: earlier.turns }
  const assign = (text: string) => assignTools(toClauses(text, vocabulary), tools, at)
  const alone = assign(request)
  const isCommand = actionsOf(/^\p{L}+/u.exec(request)?.[0] ?? '').size > 0
  if (isCommand && alone.tasks.some(isComplete)) return alone
  let open = ''
  for (const before of [...earlier.turns].reverse()) {
    if (before.calls.length > 0) break
    open = [before.request.replace(/[\s.!?]+$/, ''), open].filter((text) => text !== '').join(', ')
    if (assign(open).tasks.length === 0) continue
    const whole = assign(`${open}, ${request}`)
    if (whole.tasks.length > 0 && whole.tasks.every(isComplete)) return whole
  }
  return alone
}

function isComplete({ tool, reading, base, source }: Task): boolean {
  if (base || source !== undefined) return true
  const missing = fillArguments(tool.slots, toFillContext(tool, reading, [])).missing
  return missing.every(({ kind }) => kind === 'artifact')
}

function toVocabulary(tools: readonly PlannerTool[]): Vocabulary {
  const verbs = tools.map(({ name }) => splitName(name).toLowerCase().split(' ', 1)[0] ?? '')
  const nouns = tools.flatMap(({ nameConcepts }) =>
    [...nameConcepts].filter((concept) => weightOf(concept) === 1),
  )
  return { verbs: new Set(verbs), nouns: new Set(nouns) }
}

/** The tasks of a request, and the clauses without a fitting tool. */
interface Assignment {
  readonly tasks: readonly Task[]
  readonly unmatched: readonly string[]
}

/** The context of a request: earlier artifact ids, its attachments, and the time. */
interface RequestContext {
  readonly earlier: readonly string[]
  readonly attachments: readonly string[]
  readonly now: Date
  /** The latest requests before this one, oldest first. */
  readonly turns: readonly EarlierTurn[]
}

/** Chooses a tool for each clause. */
function assignTools(
  clauses: readonly Clause[],
  tools: readonly PlannerTool[],
  at: RequestContext,
): Assignment {
  const choose = toChooser(tools, at)
  const tasks: Task[] = []
  const unmatched: string[] = []
  // The task of each clause, or the previous task when the clause has none.
  const positions: (number | undefined)[] = []
  for (const clause of clauses) {
    const reading = readClause(clause.text, at.now)
    const tool = choose(reading, tasks)
    const last = at.turns.at(-1)
    const followUp =
      tool || tasks.length > 0 ? undefined : toFollowUp({ clause, reading, tools, earlier: last })
    const base = tool && toRepeatedArguments(tool, reading, last)
    const after = clause.after === undefined ? undefined : positions[clause.after]
    const widened = tool ? undefined : extendTask(tasks.at(-1), clause, at)
    const source = tool && toSource(tool, reading, tasks)
    if (tool)
      tasks.push(
        ...withLookup({ clause, reading, tool, source, after, ...(base && { base }) }, tools, tasks.length),
      )
    else if (followUp) tasks.push(followUp)
    else if (widened) tasks[tasks.length - 1] = widened
    else unmatched.push(clause.text)
    positions.push(tasks.length > 0 ? tasks.length - 1 : undefined)
  }
  return { tasks, unmatched }
}

// Placeholders for the artifacts of earlier clauses. They never reach a call.
const placeholders = { image: 'img_expected', audio: 'aud_expected' }

function toChooser(tools: readonly PlannerTool[], { earlier, attachments }: RequestContext) {
  const shareOf = toRarity(tools)
  return (reading: Reading, tasks: readonly Task[]): PlannerTool | undefined => {
    const expected = tasks.flatMap(({ tool }) => (tool.makes ? [placeholders[tool.makes]] : []))
    const artifacts = [...earlier, ...attachments, ...expected]
    const inHand = attachments.length > 0 || tasks.at(-1)?.tool.makes !== undefined
    const scored = tools.map((tool) => ({
      tool,
      score: scoreTool(toFillContext(tool, reading, artifacts, inHand), shareOf),
    }))
    const fitting = scored.filter(({ score }) => score.fit >= minimumFit)
    return fitting.sort((one, other) => other.score.rank - one.score.rank)[0]?.tool
  }
}

// Returns a task, preceded by a lookup task when it needs one.
function withLookup(task: Task, tools: readonly PlannerTool[], position: number): Task[] {
  const lookup = task.source === undefined ? findLookup(task, tools) : undefined
  return lookup
    ? [
        { ...task, tool: lookup },
        { ...task, source: position },
      ]
    : [task]
}

// "Search for X, and show 5 results": a clause without a tool may add arguments to the previous task.
function extendTask(
  task: Task | undefined,
  { text }: Clause,
  { attachments, now }: RequestContext,
): Task | undefined {
  if (!task) return undefined
  const reading = readClause(`${task.clause.text} and ${text}`, now)
  const count = (words: Reading) =>
    Object.keys(fillArguments(task.tool.slots, toFillContext(task.tool, words, attachments)).arguments).length
  return count(reading) > count(task.reading) ? { ...task, reading } : undefined
}

/**
 * Finds a tool that must run before a task: "draw the weather in Oslo" needs one that reports the weather.
 */
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

/** The parts of a follow-up such as "and in Rome?". */
interface FollowUp {
  readonly clause: Clause
  readonly reading: Reading
  readonly tools: readonly PlannerTool[]
  readonly earlier: EarlierTurn | undefined
}

/** Reads a clause without a tool as a change to the last call: "and in Rome?", "only the shipped ones". */
function toFollowUp({ clause, reading, tools, earlier }: FollowUp): Task | undefined {
  if (!isFragment(clause.text)) return undefined
  for (const call of [...(earlier?.calls ?? [])].reverse()) {
    const tool = tools.find(({ name }) => name === call.name)
    if (!tool) continue
    const filled = fillArguments(tool.slots, toFillContext(tool, reading, []))
    const changes = [...filled.given].some((name) => isChange(name, tool, filled))
    if (changes) return { clause, reading, tool, base: call.arguments, source: undefined, after: undefined }
  }
  return undefined
}

/** Returns the arguments of the last call for "Another one", when the same tool was just used. */
function toRepeatedArguments(tool: PlannerTool, { masked }: Reading, earlier: EarlierTurn | undefined) {
  const said = (masked.match(/[\p{L}'’]+/gu) ?? []).filter((word) => actionsOf(word).size === 0)
  const isAgain =
    again.test(masked) && said.every((word) => again.test(word) || stopWords.has(word.toLowerCase()))
  return isAgain ? earlier?.calls.findLast(({ name }) => name === tool.name)?.arguments : undefined
}

/** Whether the fragment gives a value for a parameter, and not only its own words. */
export function isChange(name: string, { slots }: PlannerTool, { given }: Filled): boolean {
  return given.has(name) && slots.some((slot) => slot.name === name && slot.kind !== 'text')
}

const again = /\b(?:another|again|once|more|same)\b/i

// Greetings, thanks and whole sentences: they change no call.
const remark =
  /^(?:thanks?|thank|great|nice|good|cool|perfect|ok|okay|yes|no|sure|well|hello|hi|hey|bye|sorry|i|you|it|that|this|he|she|they|we|why|who|how|what)\b/i

function isFragment(text: string): boolean {
  const words = text.replace(lead, '').split(/\s+/)
  return words.length <= 10 && !remark.test(words.join(' ')) && actionsOf(words[0] ?? '').size === 0
}

const lead = /^(?:what about|how about|what of|and|or|only|just|but)\s+/i
