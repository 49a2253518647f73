import type { Clause } from './clauses.js'
import { fillArguments } from './fill-arguments.js'
import { toFollowUp, toRepeat } from './follow-up.js'
import { findLookup } from './lookup.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading } from './read-clause.js'
import { readClause } from './read-clause.js'
import { toSource } from './reference.js'
import { toScene } from './scene.js'
import { scoreTool, threshold, toShare } from './score-tool.js'
import type { Task } from './task.js'
import type { EarlierTurn } from './turn.js'

/** The request as tasks, and the clauses no tool fits. */
export interface Assignment {
  readonly tasks: readonly Task[]
  readonly unmatched: readonly string[]
}

/** What is there when the request comes: artifact ids of before, those it brought along, and the time. */
export interface Moment {
  readonly earlier: readonly string[]
  readonly attachments: readonly string[]
  readonly now: Date
  /** The latest requests before this one, oldest first. */
  readonly turns: readonly EarlierTurn[]
}

/** Chooses a tool for each clause. */
export function assignTools(
  clauses: readonly Clause[],
  tools: readonly PlannerTool[],
  at: Moment,
): Assignment {
  const choose = toChooser(tools, at)
  const tasks: Task[] = []
  const unmatched: string[] = []
  // The task of each clause, or the last one before it when the clause has none.
  const positions: (number | undefined)[] = []
  for (const clause of clauses) {
    const reading = readClause(clause.text, at.now)
    const tool = choose(reading, tasks)
    const last = at.turns.at(-1)
    const followUp =
      tool || tasks.length > 0 ? undefined : toFollowUp({ clause, reading, tools, earlier: last })
    const base = tool && toRepeat(tool, reading, last)
    const after = clause.after === undefined ? undefined : positions[clause.after]
    const widened = tool ? undefined : toWidened(tasks.at(-1), clause, at)
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

// Stands for what an earlier clause will have made; never reaches a call.
const placeholders = { image: 'img_expected', audio: 'aud_expected' }

function toChooser(tools: readonly PlannerTool[], { earlier, attachments }: Moment) {
  const shareOf = toShare(tools)
  return (reading: Reading, tasks: readonly Task[]): PlannerTool | undefined => {
    const expected = tasks.flatMap(({ tool }) => (tool.makes ? [placeholders[tool.makes]] : []))
    const artifacts = [...earlier, ...attachments, ...expected]
    const inHand = attachments.length > 0 || tasks.at(-1)?.tool.makes !== undefined
    const scored = tools.map((tool) => ({
      tool,
      score: scoreTool(toScene(tool, reading, artifacts, inHand), shareOf),
    }))
    const fitting = scored.filter(({ score }) => score.fit >= threshold)
    return fitting.sort((one, other) => other.score.rank - one.score.rank)[0]?.tool
  }
}

// A task, behind the one that looks up what it needs to know.
function withLookup(task: Task, tools: readonly PlannerTool[], position: number): Task[] {
  const lookup = task.source === undefined ? findLookup(task, tools) : undefined
  return lookup
    ? [
        { ...task, tool: lookup },
        { ...task, source: position },
      ]
    : [task]
}

// "Search for X, and show 5 results": a clause with no tool of its own may say more for the one before it.
function toWidened(task: Task | undefined, { text }: Clause, { attachments, now }: Moment): Task | undefined {
  if (!task) return undefined
  const reading = readClause(`${task.clause.text} and ${text}`, now)
  const count = (words: Reading) =>
    Object.keys(fillArguments(task.tool.slots, toScene(task.tool, words, attachments)).arguments).length
  return count(reading) > count(task.reading) ? { ...task, reading } : undefined
}
