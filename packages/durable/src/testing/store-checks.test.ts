import { expect, test } from 'vitest'
import { memoryRuns } from '../local/memory-runs.js'
import type { RunRecord, RunStateStore } from '../local/run-store.js'
import { runStateStoreChecks } from './store-checks.js'

/** Returns the names of the checks that fail for a changed memory store. */
async function broken(change: (store: RunStateStore) => Partial<RunStateStore>): Promise<readonly string[]> {
  const checks = runStateStoreChecks(() => {
    const store = memoryRuns()
    return { ...store, ...change(store) }
  })
  const outcomes = await Promise.allSettled(checks.map(({ run }) => run()))
  return checks.flatMap(({ name }, at) => (outcomes[at]?.status === 'rejected' ? [name] : []))
}

test('a correct store passes', async () => {
  expect(await broken(() => ({}))).toEqual([])
})

test('finds a store that ignores versions', async () => {
  const names = await broken((store) => ({
    save: async (id, run) => store.save(id, run, (await store.load(id))?.version ?? 0),
  }))
  expect(names).toEqual([
    'rejects a save with a different version and changes nothing',
    'a deleted run is gone and can be saved again',
  ])
})

test('finds a store that checks the version before it writes', async () => {
  const names = await broken((store) => ({
    save: async (id, run, version) => {
      const now = (await store.load(id))?.version ?? 0
      if (now !== version) return store.save(id, run, version)
      await new Promise((resolve) => setImmediate(resolve))
      return store.save(id, run, (await store.load(id))?.version ?? 0)
    },
  }))
  expect(names).toEqual(['exactly one of ten concurrent saves succeeds'])
})

test('finds a store that shares its objects', async () => {
  const names = await broken((store) => {
    const given = new Map<string, RunRecord>()
    return {
      save: async (id, run, version) => {
        given.set(id, run)
        return store.save(id, run, version)
      },
      load: async (id) => {
        const found = await store.load(id)
        return found && { ...found, run: given.get(id) ?? found.run }
      },
    }
  })
  expect(names).toContain('changing a run that was given or loaded does not change the stored one')
})

test('finds a store that merges similar ids', async () => {
  const names = await broken((store) => ({
    save: (id, run, version) => store.save(id.toLowerCase(), run, version),
    load: (id) => store.load(id.toLowerCase()),
  }))
  expect(names).toEqual(['separates similar ids and rejects invalid ones'])
})
