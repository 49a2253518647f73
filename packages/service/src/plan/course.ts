import type { AnsweredCall } from './answered-call.js'
import type { Task } from './task.js'
import type { Turn } from './turn.js'

/** A call the planner wants made. */
export interface PlannedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** How far a task has come. */
export interface TaskState {
  /** Open: its calls are to be made. Waiting: for another task. Stuck: it cannot be done. */
  readonly status: 'done' | 'open' | 'waiting' | 'stuck'
  /** The calls made for it so far. */
  readonly calls: readonly AnsweredCall[]
  /** The calls to make now, when it is open. */
  readonly next?: readonly PlannedCall[]
  /** What to tell the user, when it is stuck for another reason than a failed call. */
  readonly note?: string
}

/** The tasks of a request while they are replayed in order: `states` holds those before the current one. */
export interface Course {
  readonly tasks: readonly Task[]
  readonly states: readonly TaskState[]
  readonly turn: Turn
}

/** The artifacts a task has made so far; none for no task. */
export function artifactsOf(index: number | undefined, { states }: Course): string[] {
  const calls = index === undefined ? [] : (states[index]?.calls ?? [])
  return calls.flatMap(({ artifacts }) => artifacts)
}
