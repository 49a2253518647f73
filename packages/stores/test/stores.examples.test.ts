import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderRunStore } from '@capstan/stores/node'
import { runStoreChecks } from '@capstan/testing'
import { afterAll, beforeAll, test as everywhere, expect } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { keepRun } from './stores.examples.js'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-runs-'))
})
afterAll(() => rm(root, { recursive: true }))

everywhere('keeps the run of the page', async () => {
  const { runs } = await keepRun(join(root, 'runs'))
  expect(runs).toMatchObject([{ runId: 'run-1', version: 2, entry: { callIds: ['call_1'] } }])
})

let checks = 0
/** `run-stores.test.ts` makes all checks of this store, so `npm test` makes only every sixth one here. */
const test = (name: string, run: () => Promise<void>) =>
  (checks++ % 6 === 0 ? everywhere : slowTest)(name, run)

// #region checks
const makeStore = () => folderRunStore(join(root, crypto.randomUUID()))

for (const { name, run } of runStoreChecks(makeStore)) test(name, run)
// #endregion
