import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sessionStoreChecks } from '@capstan/testing'
import { createStorage, prefixStorage } from 'unstorage'
import fsDriver from 'unstorage/drivers/fs'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { folderSessions } from './folder-sessions.js'
import { memorySessions } from './session.js'
import type { SessionStore } from './session-store.js'
import { unstorageSessions } from './unstorage-sessions.js'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'capstan-sessions-'))
})
afterAll(() => rm(root, { recursive: true }))

const newFolder = () => join(root, crypto.randomUUID())

const stores: Readonly<Record<string, () => SessionStore>> = {
  memory: memorySessions,
  'a folder': () => folderSessions(newFolder()),
  'unstorage in memory': () => unstorageSessions(createStorage()),
  'unstorage in files': () => unstorageSessions(createStorage({ driver: fsDriver({ base: newFolder() }) })),
  'unstorage under a prefix': () => unstorageSessions(prefixStorage(createStorage(), 'app')),
}

describe.each(Object.entries(stores))('sessions in %s', (where, makeStore) => {
  const checks = sessionStoreChecks(makeStore, { branches: 'required' })
  // unstorage is one store, whatever it keeps files in.
  const tried = where === 'unstorage in files' || where === 'unstorage under a prefix' ? some(checks) : checks
  for (const { name, run } of tried) test(name, run)
})
