import type { Clause } from './clauses.js'
import type { Condition } from './conditions.js'
import type { AnsweredCall, Turn } from './conversation.js'
import type { FillContext } from './fill-context.js'
import type { PlannerTool } from './planner-tool.js'
import type { Reading } from './read-clause.js'

/** A clause of the request with its tool. */
export interface Task {
  readonly clause: Clause
  readonly reading: Reading
  readonly tool: PlannerTool
  /** The arguments of a call that the user wrote out. */
  readonly exact?: Readonly<Record<string, unknown>>
  /** The arguments of an earlier call that this one changes: "and in Rome?" */
  readonly base?: Readonly<Record<string, unknown>>
  /** The index of the task whose arguments complete this one: "and the same for room 7". */
  readonly shares?: number
  /** The index of the task whose product this one uses. */
  readonly source: number | undefined
  /** The condition on the result of the task in `after`. */
  readonly condition?: Condition
  /** Words of the clause that belong to another task of the same clause. */
  readonly elsewhere?: FillContext['elsewhere']
  /** The index of the task that "then" puts before this one. */
  readonly after: number | undefined
}

/** A call that the planner requests. */
export interface PlannedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** The progress of a task. */
export interface TaskState {
  /** Open: its calls are to be made. Waiting: for another task. Stuck: it cannot be done. */
  readonly status: 'done' | 'open' | 'waiting' | 'stuck'
  /** The calls made for it so far. */
  readonly calls: readonly AnsweredCall[]
  /** The calls to make now, when it is open. */
  readonly next?: readonly PlannedCall[]
  /** The message for the user, when it is stuck for another reason than a failed call. */
  readonly note?: string
}

/** The tasks of a request during their replay. `states` contains those before the current one. */
export interface Replay {
  readonly tasks: readonly Task[]
  readonly states: readonly TaskState[]
  readonly turn: Turn
}

/** Returns the artifacts that a task has made so far. Empty without a task. */
export function artifactsOf(index: number | undefined, { states }: Replay): string[] {
  const calls = index === undefined ? [] : (states[index]?.calls ?? [])
  return calls.flatMap(({ artifacts }) => artifacts)
}
