// A region of this file is shown in docs/guides/sessions.md.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderSessions } from '@capstan/core/node'
import { sessionStoreChecks } from '@capstan/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { note } from './sessions.examples.js'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-sessions-'))
})
afterAll(() => rm(root, { recursive: true }))

test('stores the notes of the page', async () => {
  await note('Hello', join(root, 'notes'))
  expect(await note('Again', join(root, 'notes'))).toEqual(['user: Hello', 'user: Again'])
})

// #region checks
const makeStore = () => folderSessions(join(root, crypto.randomUUID()))

for (const { name, run } of sessionStoreChecks(makeStore)) test(name, run)
// #endregion
