import type { SessionStore } from '@capstan/core'
import { expectRejection, expectSame, invalidIds, nextMillisecond, type StoreChecks } from './check.js'
import { messagesOfEveryKind, userMessages } from './session-messages.js'

export type ForkingStore = SessionStore & Required<Pick<SessionStore, 'fork' | 'branches'>>

/** Checks that `fork` and `branches` work as required. */
export const branchChecks: StoreChecks<ForkingStore> = {
  'a branch contains the messages before the cut, and its origin is unchanged': async (store) => {
    await store.append('s', messagesOfEveryKind, 0)
    const { length } = messagesOfEveryKind
    for (const at of [0, 2, length]) {
      expectSame(await store.fork('s', at, `b${at}`), at, 'the version that fork returns')
      const messages = messagesOfEveryKind.slice(0, at)
      expectSame(
        await store.load(`b${at}`),
        { id: `b${at}`, version: at, messages, from: 's', at },
        'load of a branch',
      )
    }
    expectSame(
      await store.load('s'),
      { id: 's', version: length, messages: messagesOfEveryKind },
      'load of the origin',
    )
  },

  'a branch and its origin continue independently': async (store) => {
    await store.append('s', userMessages(4, 's'), 0)
    await store.fork('s', 2, 'b')
    await store.fork('s', 0, 'c')
    expectSame(await store.append('b', userMessages(1, 'b'), 2), 3, 'the version of the branch')
    expectSame(await store.append('c', userMessages(2, 'c'), 0), 2, 'the version of the branch from 0')
    expectSame(await store.append('s', userMessages(1, 'more'), 4), 5, 'the version of the origin')
    await expectRejection(store.append('b', userMessages(1, 'late'), 2), 'conflict', 'a late append')
    const loaded = await Promise.all(['b', 'c', 's'].map(async (id) => (await store.load(id)).messages))
    const wanted = [
      [...userMessages(2, 's'), ...userMessages(1, 'b')],
      userMessages(2, 'c'),
      [...userMessages(4, 's'), ...userMessages(1, 'more')],
    ]
    expectSame(loaded, wanted, 'the messages of both branches and of their origin')
    expectSame((await store.load('c')).at, 0, 'the cut of the branch from 0, after an append')
  },

  'a branch outlives its origin': async (store) => {
    await store.append('s', userMessages(4, 's'), 0)
    await store.fork('s', 3, 'b')
    await store.fork('b', 1, 'c')
    await store.delete('s')
    await store.delete('b')
    await store.append('s', userMessages(1, 'new'), 0)
    const messages = userMessages(1, 's')
    expectSame(await store.load('c'), { id: 'c', version: 1, messages, from: 'b', at: 1 }, 'load')
    expectSame(await store.append('c', userMessages(1, 'c'), 1), 2, 'the version after an append')
  },

  'a fork to an id that exists fails with conflict, and changes nothing': async (store) => {
    await store.append('s', userMessages(3, 's'), 0)
    await store.append('t', userMessages(2, 't'), 0)
    await store.fork('s', 0, 'b')
    for (const id of ['s', 't', 'b'])
      for (const at of [0, 2]) await expectRejection(store.fork('s', at, id), 'conflict', `a fork to "${id}"`)
    expectSame((await store.load('t')).messages, userMessages(2, 't'), 'the messages')
    expectSame((await store.branches('t')).length, 1, 'the sessions in the tree of the other session')
    await store.delete('b')
    expectSame(await store.fork('s', 1, 'b'), 1, 'the version of a fork to a deleted id')
    expectSame((await store.load('b')).messages, userMessages(1, 's'), 'its messages')
  },

  'a fork after more messages than there are, or at an invalid number, is rejected and leaves nothing':
    async (store) => {
      await store.append('s', userMessages(2, 's'), 0)
      for (const at of [3, -1, 0.5, Number.NaN, '1' as unknown as number])
        await expectRejection(store.fork('s', at, 'b'), 'invalid_request', `a fork at ${at} of 2`)
      await expectRejection(store.fork('none', 1, 'b'), 'invalid_request', 'a fork of a missing session')
      for (const id of invalidIds) {
        const what = JSON.stringify(id.slice(0, 20))
        await expectRejection(store.fork('s', 1, id), 'invalid_request', `a fork to ${what}`)
        await expectRejection(store.fork(id, 0, 'b'), 'invalid_request', `a fork of ${what}`)
        await expectRejection(store.branches(id), 'invalid_request', `branches of ${what}`)
      }
      expectSame(await store.load('b'), { id: 'b', version: 0, messages: [] }, 'load of the branch')
      expectSame((await store.branches('s')).length, 1, 'the sessions in the tree')
    },

  'branches returns the entire tree for each of its sessions, with the latest change first': async (
    store,
  ) => {
    await store.append('other', userMessages(1, 'other'), 0)
    await store.append('s', userMessages(3, 's'), 0)
    await nextMillisecond()
    const forks = [
      ['s', 2, 's~b'],
      ['s~b', 1, 'c'],
      ['c', 0, 'd'],
      ['s', 0, '世界/..'],
    ] as const
    for (const [from, at, id] of forks) {
      await store.fork(from, at, id)
      await nextMillisecond()
    }
    await store.append('c', userMessages(2, 'c'), 1)
    const tree = await store.branches('s')
    const wanted = [
      { id: 'c', version: 3, from: 's~b', at: 1 },
      { id: '世界/..', version: 0, from: 's', at: 0 },
      { id: 'd', version: 0, from: 'c', at: 0 },
      { id: 's~b', version: 2, from: 's', at: 2 },
      { id: 's', version: 3 },
    ]
    expectSame(
      tree.map(({ updatedAt: _, ...one }) => one),
      wanted,
      'the tree',
    )
    const all = await store.list()
    for (const { id } of wanted) expectSame(await store.branches(id), tree, `branches of "${id}"`)
    expectSame(
      all.filter(({ id }) => id !== 'other'),
      tree,
      'the list without the other session',
    )
    expectSame((await store.branches('other')).length, 1, 'the number of sessions in the other tree')
    expectSame(await store.branches('none'), [], 'branches of a session that does not exist')
  },

  'a deleted session still connects its branches': async (store) => {
    await store.append('s', userMessages(3, 's'), 0)
    await store.fork('s', 2, 'b')
    await store.fork('b', 1, 'c')
    await store.fork('s', 1, 'd')
    await store.delete('b')
    await store.delete('s')
    const idsOf = async (id: string) => (await store.branches(id)).map((one) => one.id).sort()
    for (const id of ['c', 'd', 's']) expectSame(await idsOf(id), ['c', 'd'], `the branches of "${id}"`)
    await store.append('b', userMessages(1, 'b'), 0)
    expectSame(await idsOf('b'), ['b'], 'the tree of a session under the id of a deleted branch')
    expectSame(await idsOf('c'), ['c', 'd'], 'the tree that the deleted branch was in')
  },

  'exactly one of several concurrent forks to the same id succeeds, and the others fail with conflict':
    async (store) => {
      await store.append('s', userMessages(4, 's'), 0)
      for (let round = 0; round < 10; round++) {
        const ats = round % 2 === 0 ? [0, 0, 0, 0] : [1, 2, 3, 4]
        const forks = ats.map((at) => store.fork('s', at, `b${round}`))
        const outcomes = await Promise.allSettled(forks)
        const won = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))
        expectSame(won.length, 1, 'the number of forks that succeeded')
        for (const [at, fork] of forks.entries())
          if (!won.includes(at)) await expectRejection(fork, 'conflict', 'a fork that lost')
        const { at, messages } = await store.load(`b${round}`)
        expectSame(at, ats[won[0] ?? -1], 'the cut of the branch')
        expectSame(messages, userMessages(at ?? -1, 's'), 'the messages of the branch')
      }
    },
}
