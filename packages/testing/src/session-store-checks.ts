import type { Message, SessionInfo, SessionQuery, SessionStore } from '@capstan/core'
import {
  type Check,
  expectRejection,
  expectSame,
  invalidIds,
  nextMillisecond,
  type StoreChecks,
  toChecks,
  unusualIds,
} from './check.js'
import { branchChecks, type ForkingStore } from './session-branch-checks.js'
import { messagesOfEveryKind, userMessage, userMessages } from './session-messages.js'

/**
 * Returns the checks that every `SessionStore` must pass, for any test runner: `for (const { name, run } of
 * sessionStoreChecks(makeStore)) test(name, run)`. Each check calls `makeStore` once and needs an empty store.
 */
export function sessionStoreChecks(
  makeStore: () => SessionStore | Promise<SessionStore>,
  { branches = 'optional' }: SessionChecksOptions = {},
): readonly Check[] {
  const forked = Object.entries(branchChecks).map(([name, holds]) => ({
    name,
    async run() {
      const store = await makeStore()
      if (hasBranches(store)) await holds(store)
      else if (branches === 'required' || store.fork || store.branches)
        throw new Error('The store should have both fork and branches, or neither if they are optional')
    },
  }))
  return [...toChecks(allChecks, makeStore), ...forked]
}

export interface SessionChecksOptions {
  /**
   * Whether the store must have `fork` and `branches`. With `optional`, the branch checks pass if the store has
   * neither. Default `optional`.
   */
  readonly branches?: 'optional' | 'required'
}

function hasBranches(store: SessionStore): store is ForkingStore {
  return store.fork !== undefined && store.branches !== undefined
}

/** Checks that a store keeps messages and versions. */
const messageChecks: StoreChecks<SessionStore> = {
  'an unknown session has version 0, no messages, and is not listed': async (store) => {
    expectSame(await store.load('s'), { id: 's', version: 0, messages: [] }, 'load')
    expectSame(await store.list(), [], 'list')
  },

  'messages of every kind are returned with every field': async (store) => {
    expectSame(
      await store.append('s', messagesOfEveryKind, 0),
      messagesOfEveryKind.length,
      'the version that append returns',
    )
    expectSame(
      await store.load('s'),
      { id: 's', version: messagesOfEveryKind.length, messages: messagesOfEveryKind },
      'load',
    )
  },

  'control characters and lone surrogates are returned unchanged': async (store) => {
    const messages = [
      userMessage('\0\u0001\u001f\u007f\u0085\ufeff\uffff'),
      userMessage('\ud83d'),
      userMessage('\ude00 \ud83d'),
    ]
    await store.append('s', messages, 0)
    expectSame((await store.load('s')).messages, messages, 'the messages')
  },

  'a message of 1 MB is returned': async (store) => {
    const messages = [userMessage('0123456789abcdeé'.repeat(65_536)), userMessage('after it')]
    await store.append('s', messages, 0)
    expectSame((await store.load('s')).messages, messages, 'the messages')
  },

  'versions count messages, and messages stay in order over many appends': async (store) => {
    const messages = userMessages(60, 'message')
    let version = 0
    for (const count of [1, 2, 30, 7, 1, 19]) {
      const next = messages.slice(version, version + count)
      expectSame(await store.append('s', next, version), version + count, 'the version that append returns')
      version += count
    }
    expectSame(await store.load('s'), { id: 's', version: 60, messages }, 'load')
  },

  'appending no messages changes nothing, but still checks the version': async (store) => {
    expectSame(await store.append('s', [], 0), 0, 'the version of an unknown session')
    expectSame(await store.list(), [], 'list')
    await store.append('s', userMessages(2, 'm'), 0)
    expectSame(await store.append('s', [], 2), 2, 'the version')
    await expectRejection(store.append('s', [], 1), 'conflict', 'appending nothing to another version')
    expectSame((await store.load('s')).messages, userMessages(2, 'm'), 'the messages')
  },

  'an append to a different version fails with conflict, reports the stored version, and changes nothing':
    async (store) => {
      const late = userMessages(3, 'late')
      const toNothing = await expectRejection(store.append('s', late, 1), 'conflict', 'version 1 of nothing')
      expectSame(toNothing.evidence?.version, 0, 'evidence.version')
      await store.append('s', userMessages(2, 'first'), 0)
      for (const expected of [0, 1, 3, -2, Number.NaN]) {
        const error = await expectRejection(
          store.append('s', late, expected),
          'conflict',
          `version ${expected} of 2`,
        )
        expectSame(error.evidence?.version, 2, 'evidence.version')
      }
      expectSame(await store.load('s'), { id: 's', version: 2, messages: userMessages(2, 'first') }, 'load')
      expectSame(await store.append('s', late, 2), 5, 'the version after an append to the version found')
    },

  'changing a message that was given or loaded does not change the stored one': async (store) => {
    const given = [{ role: 'user' as const, content: [{ type: 'text', text: 'as it was' }] }]
    const wanted = structuredClone(given)
    const appending = store.append('s', given, 0)
    for (const message of given) message.content = [{ type: 'text', text: 'changed after append' }]
    given.push(...structuredClone(given))
    expectSame(await appending, 1, 'the version')
    const loaded = await store.load('s')
    expectSame(loaded.messages, wanted, 'the messages')
    for (const message of loaded.messages) Object.assign(message, { content: 'changed after load' })
    loaded.messages.push(userMessage('pushed'))
    expectSame((await store.load('s')).messages, wanted, 'the messages, loaded again')
  },
}

/** Checks that a store accepts and rejects ids, lists sessions and deletes sessions as required. */
const idChecks: StoreChecks<SessionStore> = {
  'any string of 1 to 200 characters is a valid id, and different strings are different ids': async (
    store,
  ) => {
    for (const id of unusualIds) await store.append(id, [userMessage(`only in ${id}`)], 0)
    for (const id of unusualIds)
      expectSame(await store.load(id), { id, version: 1, messages: [userMessage(`only in ${id}`)] }, 'load')
    expectSame((await store.list()).map(({ id }) => id).sort(), [...unusualIds].sort(), 'the ids of the list')
    for (const id of unusualIds) await store.delete(id)
    expectSame(await store.list(), [], 'the list after each was deleted')
  },

  'every method rejects an invalid id': async (store) => {
    for (const id of invalidIds) {
      const what = `the id ${JSON.stringify(id.slice(0, 20))}`
      await expectRejection(store.load(id), 'invalid_request', `load of ${what}`)
      await expectRejection(
        store.append(id, [userMessage('hello')], 0),
        'invalid_request',
        `append to ${what}`,
      )
      await expectRejection(store.delete(id), 'invalid_request', `delete of ${what}`)
    }
    expectSame(await store.list(), [], 'list')
  },

  'the list contains the id, version and time of each session, with the latest append first': async (
    store,
  ) => {
    const before = Date.now()
    for (const id of ['a', 'b', 'c', 'a']) {
      await store.append(id, userMessages(2, id), (await store.load(id)).version)
      await nextMillisecond()
    }
    const list = await store.list()
    const versions = list.map(({ id, version }) => ({ id, version }))
    const wanted = [
      { id: 'a', version: 4 },
      { id: 'c', version: 2 },
      { id: 'b', version: 2 },
    ]
    expectSame(versions, wanted, 'list')
    const times = list.map(({ updatedAt }) => updatedAt)
    expectSame(
      times.toSorted((a, b) => b - a),
      times,
      'the times of the list, sorted',
    )
    // A store may round timestamps to seconds, and may have its own clock.
    const off = times.filter((time) => Math.abs(time - before) > 60_000)
    expectSame(off, [], 'times that are not of this minute, in milliseconds,')
  },

  'the list contains the sessions with a prefix, in pages of `limit`': async (store) => {
    const ids = ['a%', 'a%1', 'A%2', 'a_3', 'b', 'a%4']
    for (const id of ids) {
      await store.append(id, [userMessage(id)], 0)
      await nextMillisecond()
    }
    const found = (await store.list({ prefix: 'a%' })).map(({ id }) => id)
    expectSame(found, ['a%4', 'a%1', 'a%'], 'the ids with the prefix "a%"')
    expectSame(await store.list({ prefix: 'c' }), [], 'the sessions with the prefix "c"')
    const first = await store.list({ limit: 2 })
    const second = await store.list({ limit: 3, ...afterLast(first) })
    const last = await store.list({ limit: 3, ...afterLast(second) })
    expectSame([first, second, last].flat(), await store.list(), 'the pages, joined')
    expectSame([first.length, second.length, last.length], [2, 3, 1], 'the sizes of the pages')
    expectSame(await store.list({ limit: 3, ...afterLast(last) }), [], 'the page after the last one')
    const both = await store.list({ prefix: 'a%', limit: 1, ...afterLast(await store.list({ limit: 1 })) })
    expectSame(
      both.map(({ id }) => id),
      ['a%1'],
      'the ids of a page with a prefix',
    )
  },

  'the pages contain each session once, even with equal times or after a deleted one': async (store) => {
    const ids = Array.from({ length: 25 }, (_, at) => `session ${at}`)
    await Promise.all(ids.map((id) => store.append(id, [userMessage(id)], 0)))
    const seen: SessionInfo[] = []
    for (;;) {
      const page = await store.list({ limit: 2, ...afterLast(seen) })
      seen.push(...page)
      if (page.length < 2) break
      await store.delete(page[1]?.id ?? '')
    }
    expectSame(seen.map(({ id }) => id).sort(), [...ids].sort(), 'the ids of all pages')
  },

  'the list rejects an invalid query': async (store) => {
    await store.append('a', [userMessage('a')], 0)
    for (const limit of [0, -1, 1.5, Number.NaN])
      await expectRejection(store.list({ limit }), 'invalid_request', `list with the limit ${limit}`)
  },

  'delete removes a session but no other one, and can be repeated': async (store) => {
    await store.append('a', userMessages(2, 'a'), 0)
    await store.append('b', userMessages(3, 'b'), 0)
    for (const id of ['a', 'a', 'never there']) await store.delete(id)
    expectSame(await store.load('a'), { id: 'a', version: 0, messages: [] }, 'load of the deleted one')
    expectSame(
      await store.load('b'),
      { id: 'b', version: 3, messages: userMessages(3, 'b') },
      'load of the other',
    )
    expectSame(
      (await store.list()).map(({ id }) => id),
      ['b'],
      'the ids of the list',
    )
  },

  'a deleted session starts again at version 0': async (store) => {
    await store.append('s', userMessages(5, 'old'), 0)
    await store.delete('s')
    await expectRejection(
      store.append('s', userMessages(1, 'late'), 5),
      'conflict',
      'the version before it was deleted',
    )
    expectSame(await store.append('s', userMessages(2, 'new'), 0), 2, 'the version')
    expectSame(await store.load('s'), { id: 's', version: 2, messages: userMessages(2, 'new') }, 'load')
  },
}

/** Checks that a store handles concurrent use. */
const concurrencyChecks: StoreChecks<SessionStore> = {
  'exactly one of two concurrent appends succeeds, and the other fails with conflict': async (store) => {
    for (let round = 0; round < 10; round++) await race(store, { id: `new ${round}`, writers: 2 })
    for (let round = 0; round < 10; round++) await race(store, { id: 'the same', writers: 2 })
  },

  'exactly one of twenty concurrent appends succeeds': (store) => race(store, { id: 's', writers: 20 }),

  'appends that are retried after a conflict are all stored, each in one piece': async (store) => {
    const blocks = Array.from({ length: 6 }, (_, at) => userMessages(1 + (at % 3), `block ${at}`))
    await Promise.all(blocks.map((block) => appendWithRetry(store, block)))
    const { version, messages } = await store.load('s')
    expectSame(version, blocks.flat().length, 'the version')
    const order = [...new Set(messages.map(({ content }) => Number(String(content).split(' ')[1])))]
    expectSame(
      messages,
      order.flatMap((at) => blocks[at] ?? []),
      'the messages',
    )
  },

  '50 concurrent sessions are kept apart': async (store) => {
    const ids = Array.from({ length: 50 }, (_, at) => `session ${at}`)
    const fill = async (id: string) => {
      const messages = userMessages(6, id)
      for (let at = 0; at < 6; at += 2) await store.append(id, messages.slice(at, at + 2), at)
    }
    await Promise.all(ids.map(fill))
    const sessions = await Promise.all(ids.map((id) => store.load(id)))
    expectSame(
      sessions,
      ids.map((id) => ({ id, version: 6, messages: userMessages(6, id) })),
      'the sessions',
    )
    const listed = (await store.list()).map(({ id, version }) => `${id}: ${version}`).sort()
    expectSame(listed, ids.map((id) => `${id}: 6`).sort(), 'list')
  },
}

const allChecks = { ...messageChecks, ...idChecks, ...concurrencyChecks }

/** Returns the query for the page that follows this list. */
function afterLast(list: readonly SessionInfo[]): SessionQuery {
  const last = list.at(-1)
  return last ? { after: last } : {}
}

async function race(store: SessionStore, { id, writers }: { id: string; writers: number }): Promise<void> {
  const { version, messages } = await store.load(id)
  const blocks = Array.from({ length: writers }, (_, at) => userMessages(2, `writer ${at}`))
  const appends = blocks.map((block) => store.append(id, block, version))
  const outcomes = await Promise.allSettled(appends)
  const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))
  expectSame(winners.length, 1, `the number of winners among ${writers}`)
  for (const [at, append] of appends.entries()) {
    if (!winners.includes(at)) await expectRejection(append, 'conflict', 'an append that lost')
  }
  const wanted = [...messages, ...winners.flatMap((at) => blocks[at] ?? [])]
  expectSame(await store.load(id), { id, version: version + 2, messages: wanted }, 'load')
}

/** Appends messages. After a conflict, loads the session and tries again, up to 30 times. */
async function appendWithRetry(store: SessionStore, messages: readonly Message[]): Promise<void> {
  for (let left = 30; ; left--) {
    const { version } = await store.load('s')
    const outcome = await store.append('s', messages, version).catch((error: unknown) => error)
    if (typeof outcome === 'number') return
    if (left === 0) throw outcome
    await expectRejection(Promise.reject(outcome), 'conflict', 'an append that lost')
  }
}
