import { expect, test } from 'vitest'
import { memoryRuns } from '../local/memory-runs.js'
import type { RunRecord, RunStateStore } from '../local/run-store.js'
import { runStateStoreChecks } from './store-checks.js'

/** The checks that do not hold of a store that is like one in memory but for this. */
async function broken(change: (store: RunStateStore) => Partial<RunStateStore>): Promise<readonly string[]> {
  const checks = runStateStoreChecks(() => {
    const store = memoryRuns()
    return { ...store, ...change(store) }
  })
  const outcomes = await Promise.allSettled(checks.map(({ run }) => run()))
  return checks.flatMap(({ name }, at) => (outcomes[at]?.status === 'rejected' ? [name] : []))
}

test('a store that is right passes', async () => {
  expect(await broken(() => ({}))).toEqual([])
})

test('a store that asks for no version is found out', async () => {
  const names = await broken((store) => ({
    save: async (id, run) => store.save(id, run, (await store.load(id))?.version ?? 0),
  }))
  expect(names).toEqual([
    'who goes on from another version is refused, and nothing is changed',
    'a run that was deleted is gone, and can be kept anew',
  ])
})

test('a store that looks at the version before it writes is found out', async () => {
  const names = await broken((store) => ({
    save: async (id, run, version) => {
      const now = (await store.load(id))?.version ?? 0
      if (now !== version) return store.save(id, run, version)
      await new Promise((resolve) => setImmediate(resolve))
      return store.save(id, run, (await store.load(id))?.version ?? 0)
    },
  }))
  expect(names).toEqual(['of ten who go on at once exactly one does'])
})

test('a store that gives out what it keeps is found out', async () => {
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
  expect(names).toContain('what is kept cannot be changed from outside')
})

test('a store whose names take ids together is found out', async () => {
  const names = await broken((store) => ({
    save: (id, run, version) => store.save(id.toLowerCase(), run, version),
    load: (id) => store.load(id.toLowerCase()),
  }))
  expect(names).toEqual(['ids are told apart, and lead nowhere else'])
})
