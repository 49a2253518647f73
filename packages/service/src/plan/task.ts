import type { Clause } from './clauses.js'
import type { AnsweredCall, Turn } from './conversation.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading } from './read-clause.js'

/** A clause of the request with the tool that does it. */
export interface Task {
  readonly clause: Clause
  readonly reading: Reading
  readonly tool: PlannerTool
  /** The arguments of an earlier call that this one changes: "and in Rome?" */
  readonly base?: Readonly<Record<string, unknown>>
  /** The task whose product this one uses, by index. */
  readonly source: number | undefined
  /** The task that "then" puts before this one, by index. */
  readonly after: number | undefined
}

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
