import type { RunEntry } from '../src/run-store.js'

/** A run of an owner, whose record is `record`. */
export function entryOf(owner: string, record: RunEntry['record'] = {}): RunEntry {
  const now = Date.now()
  return { owner, agent: 'helper', status: 'running', callIds: [], createdAt: now, updatedAt: now, record }
}
