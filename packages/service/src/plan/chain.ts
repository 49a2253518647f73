import type { AnsweredCall } from './answered-call.js'
import type { Course, PlannedCall, TaskState } from './course.js'
import type { Task } from './task.js'
import { toCalls } from './task-calls.js'
import type { Turn } from './turn.js'

/** How far the request has come: the calls to make now, and what cannot be done and why. */
export interface Progress {
  readonly next: readonly PlannedCall[]
  readonly notes: readonly string[]
}

/** Replays the calls made so far against the tasks and finds what can be done now. Keeps no memory between requests. */
export function toProgress(tasks: readonly Task[], turn: Turn): Progress {
  const unclaimed = [...turn.calls]
  const states: TaskState[] = []
  for (const task of tasks) states.push(advance(task, { tasks, states, turn }, unclaimed))
  return {
    next: states.flatMap(({ next }) => next ?? []),
    notes: states.flatMap(({ note }) => note ?? []),
  }
}

function advance(task: Task, course: Course, unclaimed: AnsweredCall[]): TaskState {
  const source = task.source === undefined ? undefined : course.states[task.source]
  const after = task.after === undefined ? undefined : course.states[task.after]
  const before = [source, after].flatMap((state) => state ?? [])
  if (before.some(({ status }) => status === 'open' || status === 'waiting')) {
    return { status: 'waiting', calls: [] }
  }
  if (source?.status === 'stuck') {
    const note = `"${task.clause.text}" was not done: what it builds on failed.`
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
  /** The first round of calls the task could take part in: what it waits for was not there before. */
  readonly earliest: number
}

// Takes the calls that were made for a task, whatever their outcome: none is made a second time.
function claim(unclaimed: AnsweredCall[], { name, count, earliest }: Claim): AnsweredCall[] {
  const claimed: AnsweredCall[] = []
  while (claimed.length < count) {
    const index = unclaimed.findIndex((call) => call.name === name && call.round >= earliest)
    if (index < 0) break
    claimed.push(...unclaimed.splice(index, 1))
  }
  return claimed
}
