import type { SessionStore } from '@capstan/core'
import { CapstanError, memorySessions } from '@capstan/core'
import { expect, test } from 'vitest'
import { sessionStoreChecks } from './session-store-checks.js'

/** The names of the checks that a store fails. */
async function failuresOf(makeStore: () => SessionStore): Promise<string[]> {
  const checks = sessionStoreChecks(makeStore)
  const outcomes = await Promise.allSettled(checks.map(({ run }) => run()))
  return checks.filter((_, at) => outcomes[at]?.status === 'rejected').map(({ name }) => name)
}

test('a correct store passes every check', async () => {
  expect(await failuresOf(memorySessions)).toEqual([])
})

const races = [
  'of two concurrent appends exactly one succeeds, and the other fails with conflict',
  'of twenty concurrent appends exactly one succeeds',
]

const broken: readonly [string, (inner: SessionStore) => Partial<SessionStore>, readonly string[]][] = [
  [
    'adds to any version',
    (inner) => ({
      append: async (id, messages) => inner.append(id, messages, (await inner.load(id)).version),
    }),
    [
      'appending no messages changes nothing, and still checks the version',
      'an append to another version fails with conflict, reports the stored version, and changes nothing',
      'a deleted session starts again at version 0',
    ],
  ],
  [
    'looks at the version and writes later',
    (inner) => {
      let last: Promise<unknown> = Promise.resolve()
      return {
        async append(id, messages, expected) {
          const { version } = await inner.load(id)
          if (version !== expected) throw new CapstanError('conflict', 'late', { evidence: { version } })
          const written = last.then(async () => inner.append(id, messages, (await inner.load(id)).version))
          last = written
          return written
        },
      }
    },
    races,
  ],
  [
    'keeps the half of what lost',
    (inner) => ({
      async append(id, messages, expected) {
        try {
          return await inner.append(id, messages, expected)
        } catch (error) {
          await inner.append(id, messages.slice(0, 1), (await inner.load(id)).version).catch(() => 0)
          throw error
        }
      },
    }),
    [
      'an append to another version fails with conflict, reports the stored version, and changes nothing',
      'a deleted session starts again at version 0',
      ...races,
      'appends that are retried after a conflict are all stored, each in one piece',
    ],
  ],
  [
    'is no different in small letters',
    (inner) => ({ append: (id, messages, at) => inner.append(id.toLowerCase(), messages, at) }),
    ['any text of 1 to 200 characters is an id, and different texts are different ids'],
  ],
  [
    'lists the oldest first',
    (inner) => ({ list: async () => (await inner.list()).reverse() }),
    ['the list contains id, version and time of each session, the latest append first'],
  ],
  [
    'tells times in seconds',
    (inner) => ({
      list: async () =>
        (await inner.list()).map((one) => ({ ...one, updatedAt: Math.floor(one.updatedAt / 1000) })),
    }),
    ['the list contains id, version and time of each session, the latest append first'],
  ],
  [
    'deletes nothing',
    () => ({ delete: async () => {} }),
    [
      'any text of 1 to 200 characters is an id, and different texts are different ids',
      'every method rejects an invalid id',
      'a deleted session is gone, others stay, and deleting it again succeeds',
      'a deleted session starts again at version 0',
    ],
  ],
  [
    'drops halves of characters',
    (inner) => ({
      async load(id) {
        const session = await inner.load(id)
        const text = JSON.stringify(session.messages).replaceAll(/\\ud[89a-f]../g, '')
        return { ...session, messages: JSON.parse(text) }
      },
    }),
    ['control characters and half surrogate pairs are returned'],
  ],
]

test.each(broken)('a store that %s fails', async (_what, breakIt, names) => {
  const makeStore = (): SessionStore => {
    const inner = memorySessions()
    return { ...inner, ...breakIt(inner) }
  }
  const failures = await failuresOf(makeStore)
  expect(failures).toEqual(expect.arrayContaining([...names]))
  expect(failures.length).toBeLessThan(sessionStoreChecks(makeStore).length)
})

test('a store that returns its own objects fails', async () => {
  const makeStore = (): SessionStore => {
    const inner = memorySessions()
    const held = new Map<string, ReturnType<SessionStore['load']>>()
    const load = (id: string) => {
      const session = held.get(id) ?? inner.load(id)
      held.set(id, session)
      return session
    }
    const append: SessionStore['append'] = (id, messages, version) => {
      held.delete(id)
      return inner.append(id, messages, version)
    }
    return { ...inner, load, append }
  }
  expect(await failuresOf(makeStore)).toContain(
    'stored messages are copies: changing given or loaded messages does not change them',
  )
})

test('a failed check reports the actual value', async () => {
  const makeStore = () => ({ ...memorySessions(), list: async () => [{ id: 'x', version: 1, updatedAt: 0 }] })
  const [check] = sessionStoreChecks(makeStore)
  await expect(check?.run()).rejects.toThrow(
    'list should be [] and is [{"id":"x","updatedAt":0,"version":1}]',
  )
})

test('an error of another kind is not a conflict', async () => {
  const makeStore = (): SessionStore => {
    const inner = memorySessions()
    const append: SessionStore['append'] = (...given) =>
      inner.append(...given).catch((error: Error) => {
        throw new Error(error.message)
      })
    return { ...inner, append }
  }
  const check = sessionStoreChecks(makeStore).find(({ name }) =>
    name.startsWith('an append to another version'),
  )
  await expect(check?.run()).rejects.toThrow(
    'should fail with "conflict", as a CapstanError, and threw Error',
  )
})
