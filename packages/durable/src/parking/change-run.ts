import { isCapstanError } from '@capstan/core'
import type { KeptRun } from './kept-run.js'
import type { RunStateStore, StoredRun } from './run-state-store.js'
import { unknownRun } from './unknown-run.js'

/** What a change comes to: a run to keep, or undefined for what is to stay as it is. */
export type Change = (run: KeptRun) => KeptRun | undefined

/**
 * Changes what is kept of a run, again from what is kept then when somebody else comes first. Gives what is kept after.
 * @throws what `change` throws; CapstanError `not_found`, and what the store throws
 */
export async function changeRun(store: RunStateStore, runId: string, change: Change): Promise<KeptRun> {
  for (;;) {
    const { run, version } = await stored(store, runId)
    const changed = change(run)
    if (!changed) return run
    try {
      await store.save(runId, changed, version)
      return changed
    } catch (error) {
      if (!isCapstanError(error) || error.code !== 'conflict') throw error
      // Of several who change it one goes on each time: this comes to an end.
      if ((await stored(store, runId)).version === version) throw error
    }
  }
}

async function stored(store: RunStateStore, runId: string): Promise<StoredRun> {
  const found = await store.load(runId)
  if (!found) throw unknownRun(runId)
  return found
}
