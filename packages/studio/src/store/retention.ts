// Chooses which runs to remove when there are too many.

import type { RunSummary } from '../types.js'

export interface RetentionBounds {
  readonly runs: number
  readonly bytes: number
}

/** How much a studio stores by default: 200 runs and 1 GiB. */
export const defaultRetention: RetentionBounds = { runs: 200, bytes: 2 ** 30 }

/** Returns the ids of the runs to remove. `runs` must be sorted newest first. Pinned, running and pending runs stay. */
export function removableRuns(
  runs: readonly (Pick<RunSummary, 'id' | 'status' | 'isPinned'> & { readonly bytes: number })[],
  bounds: RetentionBounds,
): readonly string[] {
  const isKept = ({ status, isPinned }: (typeof runs)[number]) =>
    isPinned === true || status === 'running' || status === 'pending'
  const left = runs.filter(isKept)
  let count = left.length
  let bytes = left.reduce((sum, one) => sum + one.bytes, 0)
  return runs
    .filter((one) => !isKept(one))
    .flatMap((one) => {
      count += 1
      bytes += one.bytes
      return count > bounds.runs || bytes > bounds.bytes ? [one.id] : []
    })
}
