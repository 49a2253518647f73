import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, tool } from '@capstan/core'
import { memoryRunStore } from '@capstan/stores'
import { folderRunStore } from '@capstan/stores/node'
import { reply, scriptedModel } from '@capstan/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { runStateStoreChecks } from '../testing/store-checks.js'
import { persistent } from './persistent-agent.js'
import { runStatesIn } from './run-store-adapter.js'

describe('over a run store in memory', () => {
  for (const { name, run } of runStateStoreChecks(() => runStatesIn(memoryRunStore()))) test(name, run)
})

function clerk(steps: Parameters<typeof scriptedModel>[0]) {
  const cancel = tool({
    name: 'cancel',
    description: 'Cancels a booking',
    parameters: z.object({ id: z.string() }),
    needsApproval: true,
    execute: ({ id }) => `cancelled ${id}`,
  })
  return new Agent({ name: 'clerk', model: scriptedModel(steps), tools: [cancel] })
}

test('a run that waits in a RunStore continues in another process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-runs-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const store = () => folderRunStore(folder)
  const first = persistent(clerk([reply.call('cancel', { id: 'B-17' })]), { store: store() })
  const { pending = [] } = await first.run('Cancel B-17.', { runId: 'r' })
  const [call] = pending
  const entries = await store().list({ callId: call?.callId ?? '', limit: 10 })
  expect(entries.runs[0]).toMatchObject({
    runId: 'durable:r',
    entry: { owner: '@capstan/durable', agent: 'clerk', status: 'pending', callIds: [call?.callId] },
  })

  const second = persistent(clerk([reply.text('Done.')]), { store: store() })
  expect((await second.list()).runs).toMatchObject([{ runId: 'r', phase: 'pending' }])
  await second.decide('r', call?.callId ?? '', { type: 'approve' })
  expect((await second.result('r')).text).toBe('Done.')
  const [ended] = (await store().list({ limit: 10 })).runs
  expect(ended?.entry).toMatchObject({ status: 'ended', callIds: [] })
  expect(ended?.entry.createdAt).toBe(entries.runs[0]?.entry.createdAt)
})

test('an entry that is not a durable run is invalid_state', async () => {
  const runs = memoryRunStore()
  const times = { createdAt: 1, updatedAt: 1 }
  const entry = { owner: 'ada', agent: 'clerk', status: 'running', callIds: [], ...times, record: 7 } as const
  await runs.put('durable:r', entry, 0)
  await expect(runStatesIn(runs).load('r')).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await runStatesIn(runs).list()).toEqual([])
})

test('rejects a store that has neither kind of methods', () => {
  const store: object = { put() {} }
  expect(() => persistent(clerk([]), { store: store as ReturnType<typeof memoryRunStore> })).toThrow(
    'folderRuns',
  )
})
