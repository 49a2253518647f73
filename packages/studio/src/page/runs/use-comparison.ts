import { useEffect, useState } from 'preact/hooks'
import type { Comparison, RunSummary } from '../../types.js'
import { api, messageOf } from '../api/client.js'
import { loadRun, runs } from '../api/state.js'

export interface ComparedRuns {
  readonly a: RunSummary | undefined
  readonly b: RunSummary | undefined
  /** Undefined while the comparison is loading, and after an error. */
  readonly comparison: Comparison | undefined
  readonly error: string | undefined
}

/**
 * Returns two runs and their comparison. While a run is in progress, reloads the comparison after each of its steps.
 */
export function useComparison(idA: string, idB: string): ComparedRuns {
  const [read, setRead] = useState<Pick<ComparedRuns, 'comparison' | 'error'>>(nothing)
  const [a, b] = [runs.value.get(idA), runs.value.get(idB)]
  useEffect(() => {
    setRead(nothing)
    for (const id of [idA, idB]) if (id) void loadRun(id)
  }, [idA, idB])
  useEffect(() => {
    if (!idA || !idB) return
    let isCurrent = true
    const set = (next: Pick<ComparedRuns, 'comparison' | 'error'>) => isCurrent && setRead(next)
    api.comparison(idA, idB).then(
      (comparison) => set({ comparison, error: undefined }),
      (error: unknown) => set({ comparison: undefined, error: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [idA, idB, stageOf(a), stageOf(b)])
  return { a, b, ...read }
}

const nothing = { comparison: undefined, error: undefined }

/** Returns a string that changes after each step of a run. */
function stageOf(run: RunSummary | undefined): string {
  return run ? `${run.status} ${run.rounds} ${run.steps}` : ''
}
