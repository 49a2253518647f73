import { expectRejection, expectSame, invalidIds, unusualIds } from '../check.js'
import {
  type CheckedRunStore,
  entryOf,
  expectSameText,
  type RunStoreChecks,
  unusualValues,
} from './stored-run.js'

/** Checks that `setOnce` and `find` work as required. */
export const keyChecks: RunStoreChecks = {
  'an unknown key has no value': async (store) => {
    expectSame(await store.find('k'), undefined, 'find')
  },

  'a key keeps its first value': async (store) => {
    expectSame(await store.setOnce('k', { first: true }), true, 'setOnce')
    for (const value of [{ first: false }, null, { first: true }])
      expectSame(await store.setOnce('k', value), false, 'setOnce of a key with a value')
    expectSame(await store.find('k'), { first: true }, 'find')
  },

  'a value is returned as JSON preserves it, including null and false': async (store) => {
    for (const [at, value] of unusualValues.entries()) {
      expectSame(await store.setOnce(`key ${at}`, value), true, 'setOnce')
      expectSame(await store.setOnce(`key ${at}`, 'another'), false, 'setOnce of a key with a value')
      expectSameText(await store.find(`key ${at}`), value, 'find')
    }
  },

  'changing a value that was given or returned does not change the stored one': async (store) => {
    const given = { list: ['as it was'] }
    const wanted = structuredClone(given)
    const setting = store.setOnce('k', given)
    given.list[0] = 'changed after setOnce'
    await setting
    for (let round = 0; round < 2; round++) {
      const found = await store.find('k')
      expectSame(found, wanted, 'find')
      Object.assign(found ?? {}, { list: [] })
    }
  },

  'exactly one of twenty concurrent setOnce calls for the same key returns true': async (store) => {
    for (let round = 0; round < 4; round++) await raceForKey(store, `key ${round}`)
  },

  'an expired key has no value, and exactly one caller can set it again': async (store) => {
    expectSame(await store.setOnce('k', 'expired', 1), true, 'setOnce with a time in the past')
    expectSame(await store.find('k'), undefined, 'find of an expired key')
    await raceForKey(store, 'k')
  },

  'a key has its value until it expires': async (store) => {
    const clock = async () => (await store.now?.()) ?? Date.now()
    const end = (await clock()) + 50
    expectSame(await store.setOnce('long', 1, end + 3_600_000), true, 'setOnce')
    expectSame(await store.setOnce('short', 1, end), true, 'setOnce')
    for (let isOver = false; (await store.find('short')) !== undefined; ) {
      if (isOver) throw new Error('find should return undefined once the key has expired')
      await new Promise((resolve) => setTimeout(resolve, 10))
      isOver = (await clock()) >= end
    }
    if ((await clock()) < end)
      throw new Error('find should return the value until the key expires, but returned undefined too early')
    expectSame(await store.setOnce('short', 2), true, 'setOnce of an expired key')
    expectSame(await store.find('short'), 2, 'find of the key, once set again')
    expectSame(await store.setOnce('long', 2), false, 'setOnce of a key that has not expired')
    expectSame(await store.find('long'), 1, 'find of a key that has not expired')
  },

  'any text of 1 to 500 characters is a valid key, and different texts are different keys': async (store) => {
    const keys = [...unusualIds, 'x'.repeat(500), `${'x'.repeat(499)}y`, '世'.repeat(500)]
    for (const key of keys) expectSame(await store.setOnce(key, `only in ${key}`), true, `setOnce of ${key}`)
    for (const key of keys) expectSame(await store.find(key), `only in ${key}`, `find of ${key}`)
  },

  'a key and a run id with the same text are independent': async (store) => {
    await store.setOnce('same', 'the value')
    expectSame(await store.get('same'), undefined, 'get')
    await store.put('same', entryOf(), 0)
    await store.delete('same')
    expectSame(await store.find('same'), 'the value', 'find')
    expectSame(await store.list({ limit: 10 }), { runs: [] }, 'list')
  },

  'setOnce and find reject an invalid key, value or time': async (store) => {
    for (const key of [...invalidIds.filter((id) => id.length <= 200), 'x'.repeat(501)]) {
      const what = `the key ${JSON.stringify(key.slice(0, 20))}`
      await expectRejection(store.setOnce(key, 1), 'invalid_request', `setOnce of ${what}`)
      await expectRejection(store.find(key), 'invalid_request', `find of ${what}`)
    }
    for (const expiresAt of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      await expectRejection(store.setOnce('k', 1, expiresAt), 'invalid_request', `expiresAt ${expiresAt}`)
    const none: unknown = undefined
    await expectRejection(store.setOnce('k', none as null), 'invalid_request', 'the value undefined')
    expectSame(await store.find('k'), undefined, 'find')
  },
}

async function raceForKey(store: CheckedRunStore, key: string): Promise<void> {
  const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => store.setOnce(key, { by: at })))
  const winners = outcomes.flatMap((isFirst, at) => (isFirst ? [at] : []))
  expectSame(winners.length, 1, 'the number of those that were first')
  expectSame(await store.find(key), { by: winners[0] ?? -1 }, 'find')
}
