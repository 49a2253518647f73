import { type Filled, fillArguments } from './fill-arguments.js'
import { toFillContext } from './fill-context.js'
import { isIdentifier } from './number-candidates.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading, Span } from './read-clause.js'
import { makesFor, needsId, toDefiniteNouns, toSource } from './references.js'
import type { Slot } from './slots.js'
import type { Task } from './task.js'
import { splitName } from './words.js'

/** Fills the parameters of a tool from one clause, without artifacts or results. */
export function fillAlone(tool: PlannerTool, reading: Reading): Filled {
  return fillArguments(tool.slots, toFillContext(tool, reading, []))
}

/** "Cancel T-7731, and charge no fee": a clause that only adds arguments to the call before it. */
export function addTo(
  task: Task | undefined,
  { clause, reading, tool }: Pick<Task, 'clause' | 'reading' | 'tool'>,
): Task | undefined {
  if (!task || task.tool !== tool || task.exact) return undefined
  const before = fillAlone(tool, task.reading)
  const { given, arguments: args, doubts, guesses } = fillAlone(tool, reading)
  if (
    given.size === 0 ||
    doubts.length > 0 ||
    guesses > 0 ||
    before.missing.length > 0 ||
    tool.makes ||
    tool.worksOn
  )
    return undefined
  const isOther = [...given].some(
    (name) => before.given.has(name) && !isSame(before.arguments[name], args[name]),
  )
  return isOther || before.fan
    ? undefined
    : { ...task, clause, reading, base: { ...task.base, ...before.arguments } }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Returns the earlier task that gives a task what it lacks: its arguments, or its result. */
export function toSupply(
  tool: PlannerTool,
  reading: Reading,
  tasks: readonly Task[],
): Pick<Task, 'source' | 'shares'> | undefined {
  const source = toSource(tool, reading, tasks)
  if (tool.worksOn || tool.makes || tasks.length === 0) return source === undefined ? undefined : { source }
  const { missing } = fillAlone(tool, reading)
  if (missing.length === 0) return source === undefined ? undefined : { source }
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
    return { source }
  const shares = tasks.findLastIndex((task) => {
    const given = task.exact ? new Set(Object.keys(task.exact)) : fillAlone(task.tool, task.reading).given
    return missing.every(({ name, kind }) => given.has(name) && kind !== 'text')
  })
  if (shares >= 0) return { source: undefined, shares }
  if (source !== undefined) return { source }
  const maker = tasks.findLastIndex((task) => !task.tool.actions.has('remove') && makesFor(task.tool, tool))
  return maker >= 0 && missing.some((slot) => needsId(slot)) ? { source: maker } : undefined
}

/** Returns a task, preceded by a lookup task when it needs one. */
export function withLookup(task: Task, tools: readonly PlannerTool[], position: number): Task[] {
  if (task.source !== undefined || task.shares !== undefined || task.base) return [task]
  const found = findLookup(task, tools)
  if (found)
    return [
      { ...task, tool: found },
      { ...task, source: position },
    ]
  return findId(task, tools, position) ?? [task]
}

/** Finds a tool that tells the id that a task lacks: "book Ann into the first free class on Monday". */
export function findId(task: Task, tools: readonly PlannerTool[], position: number): Task[] | undefined {
  const { tool, reading } = task
  const own = fillAlone(tool, reading)
  const [lacking, ...others] = own.missing
  if (!lacking || others.length > 0 || tool.worksOn || tool.makes) return undefined
  const found = tools.flatMap((one) => {
    if (one === tool || one.makes || one.worksOn || !one.actions.has('read')) return []
    if (!givesId(one, lacking)) return []
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
    const isClear = rest.doubts.length === 0 && back.doubts.length === 0 && rest.missing.length === 1
    return isClear ? [{ one, told, spans }] : []
  })
  const [best, rival] = found.sort((one, other) => other.told.evidence - one.told.evidence)
  if (!best || (rival && rival.told.evidence === best.told.evidence)) return undefined
  return [
    { ...task, tool: best.one, elsewhere: { tool, spans: best.spans } },
    { ...task, source: position, elsewhere: { tool: best.one, spans: best.told.spans } },
  ]
}

function givesId(tool: PlannerTool, slot: Slot): boolean {
  return (
    (isIdentifier(slot) && makesFor(tool, { slots: [slot] })) ||
    (slot.kind === 'time' && /\b(?:slots?|times?|availab|free)/.test(splitName(tool.name).toLowerCase()))
  )
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
