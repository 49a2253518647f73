// packages/stores/README.md shows regions of this file. stores.examples.test.ts runs them.
import type { RunEntry, RunPage } from '@capstan/stores'
import { folderRunStore } from '@capstan/stores/node'

export async function keepRun(folder: string): Promise<RunPage> {
  // #region folder
  const runs = folderRunStore(folder)
  const now = Date.now()
  const entry: RunEntry = {
    owner: 'ada',
    agent: 'clerk',
    status: 'running',
    callIds: [],
    createdAt: now,
    updatedAt: now,
    record: { input: 'Cancel booking B-17.' },
  }
  const version = await runs.put('run-1', entry, 0)
  await runs.append('run-1', [{ seq: 0, event: { type: 'text', text: 'One moment.' } }], -1)

  await runs.put('run-1', { ...entry, status: 'pending', callIds: ['call_1'] }, version)
  const waiting = await runs.list({ owner: 'ada', status: 'pending', limit: 10 })
  // #endregion
  return waiting
}
