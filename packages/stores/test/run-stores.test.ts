import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyValueStorage } from '@capstan/core'
import { runStoreChecks } from '@capstan/testing'
import { createStorage } from 'unstorage'
import { afterAll, describe, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { memoryRunStore, type RunStore, unstorageRunStore } from '../src/index.js'
import { folderRunStore } from '../src/node.js'

const folders: string[] = []

afterAll(async () => {
  for (const store of opened) await store.close()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const opened: { close(): Promise<void> }[] = []

function closedAfterwards<Store extends { close(): Promise<void> }>(store: Store): Store {
  opened.push(store)
  return store
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-runs-'))
  folders.push(folder)
  return join(folder, 'new')
}

/**
 * A store that sends each call to the next of several store objects for the same data, as if there were several
 * processes.
 */
function inTurns(stores: readonly RunStore[]): RunStore {
  let calls = 0
  const next = () => stores[calls++ % stores.length] as RunStore
  return {
    get: (...of) => next().get(...of),
    put: (...of) => next().put(...of),
    append: (...of) => next().append(...of),
    read: (...of) => next().read(...of),
    list: (...of) => next().list(...of),
    setOnce: (...of) => next().setOnce(...of),
    find: (...of) => next().find(...of),
    delete: (...of) => next().delete(...of),
  }
}

const stores: Readonly<Record<string, () => RunStore | Promise<RunStore>>> = {
  memoryRunStore: () => memoryRunStore(),
  folderRunStore: async () => folderRunStore(await newFolder()),
  'three folderRunStores over one folder': async () => {
    const folder = await newFolder()
    return inTurns([folderRunStore(folder), folderRunStore(folder), folderRunStore(folder)])
  },
  unstorageRunStore: () => closedAfterwards(unstorageRunStore(slowStorage())),
}

/** A storage in memory that is slow, like one that is accessed over a network. */
function slowStorage(): KeyValueStorage {
  const storage = createStorage()
  const tick = () => new Promise((resolve) => setImmediate(resolve))
  return {
    getItem: (key) => tick().then(() => storage.getItem(key)),
    setItem: (key, value) => tick().then(() => storage.setItem(key, value)),
    removeItem: (key) => tick().then(() => storage.removeItem(key)),
    getKeys: (base) => tick().then(() => storage.getKeys(base)),
  }
}

describe.each(Object.entries(stores))('%s', (where, makeStore) => {
  const checks = runStoreChecks(makeStore)
  // The checks with a single store object are complete. Three objects run the same code, but have different races.
  const tried = where.startsWith('three') ? some(checks) : checks
  for (const { name, run } of tried) test(name, run)
})
