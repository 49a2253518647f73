import { checkRunId } from '../settings.js'
import { type RunRecord, type RunStateStore, runConflict } from './run-store.js'

/** Creates a store for runs in memory. The runs are lost when the process ends. */
export function memoryRuns(): RunStateStore {
  // Runs are stored as text, so that callers cannot change them.
  const runs = new Map<string, { readonly text: string; readonly version: number }>()
  return {
    async load(runId) {
      checkRunId(runId)
      const found = runs.get(runId)
      return found && { run: JSON.parse(found.text) as RunRecord, version: found.version }
    },
    async save(runId, run, version) {
      checkRunId(runId)
      if ((runs.get(runId)?.version ?? 0) !== version) throw runConflict(runId)
      runs.set(runId, { text: JSON.stringify(run), version: version + 1 })
      return version + 1
    },
    async delete(runId) {
      checkRunId(runId)
      runs.delete(runId)
    },
    async list() {
      return [...runs.keys()]
    },
  }
}
