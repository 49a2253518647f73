import type { RunState } from '@capstan/core'
import { chances } from './forgetful-model.js'
import { sortedJson } from './ledger.js'

/**
 * What must be the same of a run however often its workers died: everything but times, its own id, and which random
 * texts it met. Where those stand, and which of them are the same one, must be the same too.
 */
export function comparable(state: RunState): string {
  const text = sortedJson(untimed(state)).replaceAll(state.runId, 'run')
  const names = new Map<string, string>()
  return text.replace(chances, (found) => {
    const name = names.get(found) ?? `chance${names.size}`
    names.set(found, name)
    return name
  })
}

/** Without how long things took, and without the fingerprints of what is random. */
function untimed(state: RunState): unknown {
  const timed = new Set(['ms', 'seconds', 'recent'])
  return JSON.parse(
    JSON.stringify(state, (key, value: unknown) => (timed.has(key) && key !== '' ? undefined : value)),
  )
}
