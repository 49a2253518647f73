import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
