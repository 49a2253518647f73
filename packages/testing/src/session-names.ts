import { rejects, same } from './check.js'
import { noIds, oddIds, say, sayAll } from './sample-messages.js'
import type { StoreRules } from './store-rules.js'

/** What must hold of the ids of a store, of its list and of deleting. */
export const sessionNames: StoreRules = {
  'any text up to 200 characters is an id, and no two are the same': async (store) => {
    for (const id of oddIds) await store.append(id, [say(`only in ${id}`)], 0)
    for (const id of oddIds)
      same(await store.load(id), { id, version: 1, messages: [say(`only in ${id}`)] }, 'load')
    same((await store.list()).map(({ id }) => id).sort(), [...oddIds].sort(), 'the ids of the list')
    for (const id of oddIds) await store.delete(id)
    same(await store.list(), [], 'the list after each was deleted')
  },

  'what is no id is refused by every method': async (store) => {
    for (const id of noIds) {
      const what = `the id ${JSON.stringify(id.slice(0, 20))}`
      await rejects(store.load(id), 'invalid_request', `load of ${what}`)
      await rejects(store.append(id, [say('hello')], 0), 'invalid_request', `append to ${what}`)
      await rejects(store.delete(id), 'invalid_request', `delete of ${what}`)
    }
    same(await store.list(), [], 'list')
  },

  'the list tells id, version and time of each, the one last added to first': async (store) => {
    const before = Date.now()
    for (const id of ['a', 'b', 'c', 'a']) {
      await store.append(id, sayAll(2, id), (await store.load(id)).version)
      await nextMillisecond()
    }
    const list = await store.list()
    const versions = list.map(({ id, version }) => ({ id, version }))
    const wanted = [
      { id: 'a', version: 4 },
      { id: 'c', version: 2 },
      { id: 'b', version: 2 },
    ]
    same(versions, wanted, 'list')
    const times = list.map(({ updatedAt }) => updatedAt)
    same(
      times.toSorted((a, b) => b - a),
      times,
      'the times of the list, sorted',
    )
    // A store may keep whole seconds, on a clock of its own.
    const off = times.filter((time) => Math.abs(time - before) > 60_000)
    same(off, [], 'times that are not of this minute, in milliseconds,')
  },

  'a deleted session is gone and others are not; deleting it again is no error': async (store) => {
    await store.append('a', sayAll(2, 'a'), 0)
    await store.append('b', sayAll(3, 'b'), 0)
    for (const id of ['a', 'a', 'never there']) await store.delete(id)
    same(await store.load('a'), { id: 'a', version: 0, messages: [] }, 'load of the deleted one')
    same(await store.load('b'), { id: 'b', version: 3, messages: sayAll(3, 'b') }, 'load of the other')
    same(
      (await store.list()).map(({ id }) => id),
      ['b'],
      'the ids of the list',
    )
  },

  'a deleted session begins anew at version 0': async (store) => {
    await store.append('s', sayAll(5, 'old'), 0)
    await store.delete('s')
    await rejects(store.append('s', sayAll(1, 'late'), 5), 'conflict', 'the version before it was deleted')
    same(await store.append('s', sayAll(2, 'new'), 0), 2, 'the version')
    same(await store.load('s'), { id: 's', version: 2, messages: sayAll(2, 'new') }, 'load')
  },
}

/** So that two times can be told apart. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now()
  while (Date.now() === now) await new Promise((resolve) => setTimeout(resolve, 1))
}
