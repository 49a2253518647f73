import type { TypedState, WorkflowContext } from '@restatedev/restate-sdk'
import type { Notes } from './kept.js'

/** Keeps something beside the steps of a run, for who asks about it. */
export function note<Name extends keyof Notes>(
  ctx: WorkflowContext<TypedState>,
  name: Name,
  value: Notes[Name],
): void {
  ctx.set(name, value)
}
