import type { RunEntry } from '../src/run-store.js'

/** Returns an owner's entry with this record. */
export function entryOf(owner: string, record: RunEntry['record'] = {}): RunEntry {
  const now = Date.now()
  return { owner, agent: 'helper', status: 'running', callIds: [], createdAt: now, updatedAt: now, record }
}
