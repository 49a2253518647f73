import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderRunStore } from '@capstan/stores/node'
import { runStoreChecks } from '@capstan/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepRun } from './stores.examples.js'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-runs-'))
})
afterAll(() => rm(root, { recursive: true }))

test('keeps the run of the page', async () => {
  const { runs } = await keepRun(join(root, 'runs'))
  expect(runs).toMatchObject([{ runId: 'run-1', version: 2, entry: { callIds: ['call_1'] } }])
})

// #region checks
const makeStore = () => folderRunStore(join(root, crypto.randomUUID()))

for (const { name, run } of runStoreChecks(makeStore)) test(name, run)
// #endregion
