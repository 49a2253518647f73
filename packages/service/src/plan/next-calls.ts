import { isChange } from './assign-tools.js'
import { describeResult } from './compose-reply.js'
import type { AnsweredCall, Turn } from './conversation.js'
import { type Filled, fillArguments } from './fill-arguments.js'
import { type FillContext, type Topic, toFillContext } from './fill-context.js'
import { artifactPrefixes } from './fill-slot.js'
import { isAboutAttachment, isPronominal, ordinalOf, toSubject } from './references.js'
import { artifactsOf, type PlannedCall, type Replay, type Task, type TaskState } from './task.js'
import { toConcepts } from './words.js'

/** The progress of a request: the calls to make now, and the tasks that failed with their reasons. */
interface Progress {
  readonly next: readonly PlannedCall[]
  readonly notes: readonly string[]
}

/**
 * Replays the calls made so far against the tasks and returns the possible calls. Keeps no state between
 * requests.
 */
export function toProgress(tasks: readonly Task[], turn: Turn): Progress {
  const unclaimed = [...turn.calls]
  const states: TaskState[] = []
  for (const task of tasks) states.push(advance(task, { tasks, states, turn }, unclaimed))
  return {
    next: states.flatMap(({ next }) => next ?? []),
    notes: states.flatMap(({ note }) => note ?? []),
  }
}

function advance(task: Task, course: Replay, unclaimed: AnsweredCall[]): TaskState {
  const source = task.source === undefined ? undefined : course.states[task.source]
  const after = task.after === undefined ? undefined : course.states[task.after]
  const before = [source, after].flatMap((state) => state ?? [])
  if (before.some(({ status }) => status === 'open' || status === 'waiting')) {
    return { status: 'waiting', calls: [] }
  }
  if (source?.status === 'stuck') {
    const note = `"${task.clause.text}" was not done because an earlier step failed.`
    return { status: 'stuck', calls: [], note }
  }
  const { calls: planned, missing } = toCalls(task, course)
  const earliest = Math.max(-1, ...before.flatMap(({ calls }) => calls.map(({ round }) => round))) + 1
  const calls = claim(unclaimed, { name: task.tool.name, count: Math.max(planned.length, 1), earliest })
  if (calls.length > 0 && calls.length >= planned.length) {
    return { status: calls.every(({ failed }) => failed) ? 'stuck' : 'done', calls }
  }
  if (missing.length === 0) return { status: 'open', calls, next: planned.slice(calls.length) }
  const needs = missing.map((name) => `"${name}"`).join(' and ')
  const note = `${task.tool.name} needs ${needs}, and neither the request nor the results so far give it.`
  return { status: 'stuck', calls, note }
}

interface Claim {
  readonly name: string
  readonly count: number
  /** The first round in which the task could take part: its dependencies were missing before. */
  readonly earliest: number
}

// Assigns made calls to a task, whatever their result, so that none is repeated.
function claim(unclaimed: AnsweredCall[], { name, count, earliest }: Claim): AnsweredCall[] {
  const claimed: AnsweredCall[] = []
  while (claimed.length < count) {
    const index = unclaimed.findIndex((call) => call.name === name && call.round >= earliest)
    if (index < 0) break
    claimed.push(...unclaimed.splice(index, 1))
  }
  return claimed
}

/** The calls of a task, or the names of its missing parameters. */
interface TaskCalls {
  readonly calls: readonly PlannedCall[]
  readonly missing: readonly string[]
}

/** Plans the calls of a task: one, or one for each of "Paris, Rome and New York". */
function toCalls(task: Task, course: Replay): TaskCalls {
  const { tool, reading } = task
  const context = {
    ...toFillContext(tool, reading, artifactsAtHand(task, course)),
    topic: toTopic(task, course),
  }
  const filled = withEarlier(task, fillArguments(tool.slots, context))
  if (filled.missing.length > 0) return { calls: [], missing: filled.missing.map(({ name }) => name) }
  const fan = filled.fan ?? toArtifactFan(context, artifactsOf(task.source, course))
  const lists = fan
    ? fan.values.map((value) => ({ ...filled.arguments, [fan.name]: value }))
    : [filled.arguments]
  return { calls: lists.map((args) => ({ name: tool.name, arguments: args })), missing: [] }
}

// A follow-up changes the arguments that it mentions and keeps the rest: "and in Rome?"
function withEarlier({ base, tool }: Task, filled: Filled): Filled {
  if (!base) return filled
  const changes = Object.entries(filled.arguments).filter(([name]) => isChange(name, tool, filled))
  const args = { ...base, ...Object.fromEntries(changes) }
  const ordered = tool.slots.flatMap(({ name }) =>
    Object.hasOwn(args, name) ? [[name, args[name]] as const] : [],
  )
  const fan = filled.fan && isChange(filled.fan.name, tool, filled) ? filled.fan : undefined
  return { ...filled, arguments: Object.fromEntries(ordered), missing: [], fan }
}

// Oldest first. The artifacts of the source task are the newest.
function artifactsAtHand({ source, reading }: Task, course: Replay): string[] {
  const { states, turn } = course
  const made = states.flatMap((_, index) => artifactsOf(index, course))
  const here = isAboutAttachment(reading) ? [...made, ...turn.attachments] : [...turn.attachments, ...made]
  const produced = artifactsOf(source, course)
  const all = [...turn.earlier.artifacts, ...here, ...produced]
  const ordinal = ordinalOf(reading.masked)
  if (ordinal === undefined) return all
  const lots = [produced, made, turn.attachments, turn.earlier.lot]
  const meant = lots.find(({ length }) => length > 1)?.at(ordinal)
  return meant === undefined ? all : [...all, meant]
}

// "Vary them": one call for each of several images.
function toArtifactFan({ tool, reading }: FillContext, produced: readonly string[]) {
  const slot = tool.worksOn
  if (!slot || !/\b(?:them|each|both|all|these|those)\b/i.test(reading.masked)) return undefined
  const prefixes = artifactPrefixes(slot, tool)
  const values = produced.filter((id) => prefixes.some((prefix) => id.startsWith(prefix)))
  return values.length > 1 ? { name: slot.name, values } : undefined
}

/** Resolves an "it" that refers to text: the result of an earlier task, or of the last request. */
function toTopic(task: Task, course: Replay): Topic | undefined {
  if (task.tool.worksOn) return undefined
  if (task.source !== undefined) return topicOf(task.source, course)
  const past = course.turn.earlier.calls.findLast(
    ({ failed, artifacts }) => !failed && artifacts.length === 0,
  )
  if (!past || !isPronominal(task.reading.masked)) return undefined
  const subject = describeArguments(past)
  return { subject, known: toConcepts(`${subject} ${past.name}`), result: describeResult(past) }
}

// The subject of an image is the subject of its prompt: "draw it, and read a sentence about it aloud".
function topicOf(index: number, course: Replay): Topic | undefined {
  const task = course.tasks[index]
  if (!task) return undefined
  if (task.tool.makes && task.source !== undefined) return topicOf(task.source, course)
  const calls = course.states[index]?.calls.filter(({ failed }) => !failed) ?? []
  const result = task.tool.makes ? '' : calls.map((call) => withLabel(call, calls.length > 1)).join('; ')
  // The text of a recording or the content of an image needs no subject.
  const subject =
    task.tool.actions.has('interpret') && result !== '' ? '' : toSubject(task.clause.text, task.tool)
  const known = toConcepts(`${subject} ${task.tool.name}`)
  return { subject: isPronominal(subject) ? '' : subject, known, result }
}

// Labels each of several results: "Oslo temperature -3; Rome temperature 15".
function withLabel(call: AnsweredCall, isOneOfMany: boolean): string {
  return isOneOfMany ? `${describeArguments(call)} ${describeResult(call)}` : describeResult(call)
}

function describeArguments({ arguments: args }: AnsweredCall): string {
  const scalars = Object.values(args).filter((value) => typeof value !== 'object')
  return scalars.join(' ')
}
