import { type Reading, readClause } from './clauses.js'
import { type Filled, isSure } from './fill-arguments.js'
import type { PlannerTool } from './planner-tool.js'
import { fillAlone, isChange, isSame, type Task } from './task.js'
import { actionsOf } from './words.js'

/** Chooses the tool for a clause that follows some tasks. */
export type Choose = (reading: Reading, tasks: readonly Task[]) => PlannerTool | undefined

/** Splits "mark pupil 12 absent and pupil 15 late": parts without a verb change the call of the first part. */
export function splitTask(task: Task, now: Date, choose: Choose): Task[] | undefined {
  return splitAlike(task, now) ?? splitTails(task, now, choose)
}

function splitTails(task: Task, now: Date, choose: Choose): Task[] | undefined {
  const { tool, reading, source, base } = task
  if (base || source !== undefined || tool.worksOn || tool.makes) return undefined
  const { missing, doubts } = fillAlone(tool, reading)
  if (missing.length + doubts.length === 0) return undefined
  // "Mark 12 absent and 15 late, both on Monday": the words behind "both" belong to each part.
  const shared =
    /,?\s+(?:both|all|each)(?:\s+of\s+them)?(?=\s+(?:on|for|at|to|in|with|until|from|as|by)\s)/i.exec(
      reading.masked,
    )
  const last = shared?.index ?? reading.text.length
  const rest = shared ? reading.text.slice(last + shared[0].length) : ''
  const cuts = [
    ...reading.masked
      .slice(0, last)
      .matchAll(/\s*,(?!\d| \d{4}\b)\s*(?:and\s+|then\s+)?|\s+(?:and|then)\s+/gi),
  ].slice(0, 12)
  for (const first of cuts) {
    const starts = cuts.filter(({ index }) => index >= first.index)
    const parts = [0, ...starts.map((cut) => cut.index + cut[0].length)].map((start, index) => {
      return readClause(`${reading.text.slice(start, starts[index]?.index ?? last)}${rest}`, now)
    })
    const [head] = parts.slice(0, 1).map((part) => fillAlone(tool, part))
    if (!head || head.missing.length > 0 || !isSure(head) || head.given.size === 0) continue
    const others = parts.slice(1).map((part) => fillAlone(tool, part))
    const single = tool.slots.filter(({ kind, name }) => kind !== 'list' && head.given.has(name))
    // "Korean restaurants in Dallas" changes more than the city, and two tails with a half each are one.
    const isTold = (tail: Filled, name: string) =>
      isChange(name, tool, tail) || isSame(tail.arguments[name], head.arguments[name])
    const areTails = others.every(
      (tail) =>
        tail.doubts.length === 0 &&
        tail.evidence >= 1 &&
        [...tail.given].every((name) => isTold(tail, name)) &&
        single.some(({ name }) => tail.given.has(name) && others[0]?.given.has(name)),
    )
    const isOther = parts
      .slice(1)
      .some((part) => actionsOf(part.verb).size > 0 || (choose(part, []) ?? tool) !== tool)
    if (!areTails || isOther) continue
    return parts.map((part, index) => ({
      ...task,
      reading: part,
      ...(index > 0 && { base: head.arguments }),
    }))
  }
  return undefined
}

/** Splits "add A by B and C by D to the list": parts with the same prepositions, each a request of its own. */
function splitAlike({ base, ...task }: Task, now: Date): Task[] | undefined {
  const { tool, reading } = task
  const { masked, text } = reading
  const whole = fillAlone(tool, reading)
  if (base || tool.makes || (whole.missing.length === 0 && isSure(whole))) return undefined
  const [verb = ''] = /^\p{L}+\s+/u.exec(masked) ?? []
  const [shared = ''] =
    /\s(?:to|on|in|into|onto|from|at)\s(?:the|my|our|this)(?:\s\p{Ll}+){1,2}$/u.exec(masked) ?? []
  const cuts = [...masked.matchAll(/\s*,(?!\d| \d{4}\b)\s*(?:and\s+)?|\s+and\s+/gi)].slice(0, 12)
  const starts = [0, ...cuts.map((cut) => cut.index + cut[0].length)]
  for (const rest of cuts.length > 0 ? ['', shared] : []) {
    const parts = starts.map((start, index) =>
      text.slice(start, cuts[index]?.index ?? text.length - rest.length),
    )
    const links = parts.map((part) => part.match(/\b(?:as|at|by|for|from|in|into|of|on|to|with)\b/g)?.join())
    if (links.some((link) => link === undefined || link !== links[0])) continue
    const read = (end: string) =>
      parts.map((part, at) => readClause(`${at > 0 ? verb : ''}${part}${end}`, now))
    const readings = read(rest)
    const filled = readings.map((one) => fillAlone(tool, one))
    const own = read('').map((one) => fillAlone(tool, one).arguments)
    const areAlike = filled.every(
      (one, at) =>
        isSure(one) &&
        one.missing.length === 0 &&
        !one.fan &&
        isSame([...one.given].sort(), [...(filled[0]?.given ?? [])].sort()) &&
        isSame(one.arguments, own[at]),
    )
    if (areAlike) return readings.map((one) => ({ ...task, reading: one }))
  }
  return undefined
}
