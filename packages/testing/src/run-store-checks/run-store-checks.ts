import { type Check, expectRejection, expectSame, invalidIds, toChecks, unusualIds } from '../check.js'
import { entryChecks } from './entry-checks.js'
import { eventChecks } from './event-checks.js'
import { keyChecks } from './key-checks.js'
import { listChecks } from './list-checks.js'
import { type CheckedRunStore, entryOf, eventsOf, type RunStoreChecks } from './stored-run.js'

/**
 * Returns the checks that every `RunStore` from `@capstan/stores` must pass, for any test runner: `for (const { name,
 * run } of runStoreChecks(makeStore)) test(name, run)`. Each check calls `makeStore` once and needs an empty store.
 */
export function runStoreChecks(
  makeStore: () => CheckedRunStore | Promise<CheckedRunStore>,
): readonly Check[] {
  return toChecks(allChecks, makeStore)
}

/** Checks that ids, deletion and the optional methods work as required. */
const runChecks: RunStoreChecks = {
  'any text of 1 to 200 characters is a valid run id, and different texts are different runs': async (
    store,
  ) => {
    for (const id of unusualIds) {
      await store.put(id, entryOf({ record: `only in ${id}` }), 0)
      await store.append(id, eventsOf(1, -1, id), -1)
    }
    for (const id of unusualIds) {
      const wanted = { entry: entryOf({ record: `only in ${id}` }), version: 1 }
      expectSame(await store.get(id), wanted, `get of ${JSON.stringify(id)}`)
      expectSame(await store.read(id, -1), eventsOf(1, -1, id), `read of ${JSON.stringify(id)}`)
    }
    const { runs } = await store.list({ limit: 1000 })
    expectSame(runs.map(({ runId }) => runId).sort(), [...unusualIds].sort(), 'the ids of the list')
    for (const id of unusualIds) {
      await store.delete(id)
      expectSame(await store.get(id), undefined, `get of ${JSON.stringify(id)} after it was deleted`)
    }
    expectSame(await store.list({ limit: 1000 }), { runs: [] }, 'the list after each was deleted')
  },

  'every method rejects an invalid run id': async (store) => {
    for (const id of invalidIds) {
      const what = `with the id ${JSON.stringify(id.slice(0, 20))}`
      await expectRejection(store.get(id), 'invalid_request', `get ${what}`)
      await expectRejection(store.put(id, entryOf(), 0), 'invalid_request', `put ${what}`)
      await expectRejection(store.append(id, eventsOf(1), -1), 'invalid_request', `append ${what}`)
      await expectRejection(store.read(id, -1), 'invalid_request', `read ${what}`)
      await expectRejection(store.delete(id), 'invalid_request', `delete ${what}`)
    }
    expectSame(await store.list({ limit: 10 }), { runs: [] }, 'list')
  },

  'delete removes a run and its events but no other run, and can be repeated': async (store) => {
    for (const id of ['a', 'b']) {
      await store.put(id, entryOf(), 0)
      await store.append(id, eventsOf(3, -1, id), -1)
    }
    for (const id of ['a', 'a', 'never there']) await store.delete(id)
    expectSame(await store.get('a'), undefined, 'get of the deleted run')
    expectSame(await store.read('a', -1), [], 'the events of the deleted run')
    expectSame(await store.get('b'), { entry: entryOf(), version: 1 }, 'get of the other run')
    expectSame(await store.read('b', -1), eventsOf(3, -1, 'b'), 'the events of the other run')
    expectSame((await store.list({ limit: 10 })).runs.length, 1, 'the number of listed runs')
  },

  'a deleted run is created again at version 1, without events': async (store) => {
    await store.put('r', entryOf(), 0)
    await store.put('r', entryOf(), 1)
    await store.append('r', eventsOf(3), -1)
    await store.delete('r')
    await expectRejection(store.put('r', entryOf(), 2), 'conflict', 'put to the version before')
    await expectRejection(store.append('r', eventsOf(1, 2), 2), 'conflict', 'append to the events before')
    expectSame(await store.put('r', entryOf({ owner: 'bob' }), 0), 1, 'the version')
    expectSame(await store.read('r', -1), [], 'the events of the new run')
    await expectRejection(store.append('r', eventsOf(1, 2), 2), 'conflict', 'append to the events before')
    await store.append('r', eventsOf(2, -1, 'new'), -1)
    expectSame(await store.read('r', -1), eventsOf(2, -1, 'new'), 'the events of the new run')
  },

  '`watch`, if there is one, calls the watcher after each put and append until it is removed': async (
    store,
  ) => {
    if (!store.watch) return
    await store.put('r', entryOf(), 0)
    let isEnded = false
    let isCalledLate = false
    const end = store.watch('r', () => {
      isCalledLate ||= isEnded
    })
    const changes: (() => Promise<unknown>)[] = [
      () => store.append('r', eventsOf(1), -1),
      () => store.put('r', entryOf({ status: 'ended' }), 1),
    ]
    for (const change of changes) await nextChange(store, 'r', change)
    end()
    isEnded = true
    await nextChange(store, 'r', () => store.append('r', eventsOf(1, 0), 0))
    expectSame(isCalledLate, false, 'whether `onChange` was called after the end')
  },

  '`now`, if there is one, returns the time in milliseconds': async (store) => {
    const now = await store.now?.()
    if (now === undefined) return
    // A database server's clock may be wrong, but by less than an hour.
    if (!(Math.abs(now - Date.now()) < 3_600_000))
      throw new Error(`\`now\` should return the current time, but returned ${now}`)
  },
}

const allChecks = { ...entryChecks, ...eventChecks, ...listChecks, ...keyChecks, ...runChecks }

/** Changes a run, and waits until the run's watcher has been called. */
async function nextChange(
  store: CheckedRunStore,
  runId: string,
  change: () => Promise<unknown>,
): Promise<void> {
  let end: (() => void) | undefined
  const called = new Promise<void>((resolve) => {
    end = store.watch?.(runId, resolve)
  })
  try {
    await change()
    await called
  } finally {
    end?.()
  }
}
