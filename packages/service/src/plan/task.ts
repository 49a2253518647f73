import type { Clause } from './clauses.js'
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
