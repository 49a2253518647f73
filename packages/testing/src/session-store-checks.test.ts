import type { SessionStore } from '@capstan/core'
import { CapstanError, memorySessions } from '@capstan/core'
import { expect, test } from 'vitest'
import { type SessionChecksOptions, sessionStoreChecks } from './session-store-checks.js'

/** Returns the names of the checks that a store fails. */
async function failuresOf(makeStore: () => SessionStore, options?: SessionChecksOptions): Promise<string[]> {
  const checks = sessionStoreChecks(makeStore, options)
  const outcomes = await Promise.allSettled(checks.map(({ run }) => run()))
  return checks.filter((_, at) => outcomes[at]?.status === 'rejected').map(({ name }) => name)
}

test('a correct store passes every check', async () => {
  expect(await failuresOf(memorySessions)).toEqual([])
})

const races = [
  'exactly one of two concurrent appends succeeds, and the other fails with conflict',
  'exactly one of twenty concurrent appends succeeds',
]

const broken: readonly [string, (inner: SessionStore) => Partial<SessionStore>, readonly string[]][] = [
  [
    'adds to any version',
    (inner) => ({
      append: async (id, messages) => inner.append(id, messages, (await inner.load(id)).version),
    }),
    [
      'appending no messages changes nothing, but still checks the version',
      'an append to a different version fails with conflict, reports the stored version, and changes nothing',
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
      'an append to a different version fails with conflict, reports the stored version, and changes nothing',
      'a deleted session starts again at version 0',
      ...races,
      'appends that are retried after a conflict are all stored, each in one piece',
    ],
  ],
  [
    'is no different in small letters',
    (inner) => ({ append: (id, messages, at) => inner.append(id.toLowerCase(), messages, at) }),
    ['any string of 1 to 200 characters is a valid id, and different strings are different ids'],
  ],
  [
    'lists the oldest first',
    (inner) => ({ list: async () => (await inner.list()).reverse() }),
    ['the list contains the id, version and time of each session, with the latest append first'],
  ],
  [
    'tells times in seconds',
    (inner) => ({
      list: async () =>
        (await inner.list()).map((one) => ({ ...one, updatedAt: Math.floor(one.updatedAt / 1000) })),
    }),
    ['the list contains the id, version and time of each session, with the latest append first'],
  ],
  [
    'deletes nothing',
    () => ({ delete: async () => {} }),
    [
      'any string of 1 to 200 characters is a valid id, and different strings are different ids',
      'every method rejects an invalid id',
      'delete removes a session but no other one, and can be repeated',
      'a deleted session starts again at version 0',
    ],
  ],
  [
    'does not know queries',
    (inner) => ({ list: () => inner.list() }),
    [
      'the list contains the sessions with a prefix, in pages of `limit`',
      'the pages contain each session once, even with equal times or after a deleted one',
      'the list rejects an invalid query',
    ],
  ],
  [
    'skips the rest of a millisecond',
    (inner) => ({
      async list({ limit, ...query } = {}) {
        const all = (await inner.list(query)).map((one) => ({ ...one, updatedAt: 1 }))
        return all.filter(({ updatedAt }) => updatedAt < (query.after?.updatedAt ?? 2)).slice(0, limit)
      },
    }),
    ['the pages contain each session once, even with equal times or after a deleted one'],
  ],
  [
    'shares the messages of a branch with its origin',
    (inner) => ({
      async load(id) {
        const { from, at, ...branch } = await inner.load(id)
        if (from === undefined) return branch
        const shared = (await inner.load(from)).messages.slice(0, at)
        return { ...branch, from, at: at ?? 0, messages: [...shared, ...branch.messages.slice(at)] }
      },
    }),
    ['a branch outlives its origin'],
  ],
  [
    'forks to any id',
    (inner) => {
      const fork = async (...given: [id: string, at: number, newId: string]) =>
        inner.fork?.(...given) ?? expect.unreachable()
      return {
        fork: (id, at, newId) =>
          fork(id, at, newId).catch(async (error: CapstanError) => {
            if (error.code !== 'conflict') throw error
            await inner.delete(newId)
            return fork(id, at, newId)
          }),
      }
    },
    [
      'a fork to an id that exists fails with conflict, and changes nothing',
      'exactly one of several concurrent forks to the same id succeeds, and the others fail with conflict',
    ],
  ],
  [
    'finds branches by their origins',
    (inner) => ({
      async branches(id) {
        const all = await inner.list()
        const rootOf = (one: string): string => {
          const from = all.find((info) => info.id === one)?.from
          return from === undefined ? one : rootOf(from)
        }
        return all.filter((info) => rootOf(info.id) === rootOf(id))
      },
    }),
    ['a deleted session still connects its branches'],
  ],
  [
    'has fork alone',
    () => ({ branches: undefined as never }),
    ['branches returns the entire tree for each of its sessions, with the latest change first'],
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
    ['control characters and lone surrogates are returned unchanged'],
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

test('a store may lack branches, unless they are required', async () => {
  const makeStore = (): SessionStore => {
    const { fork: _, branches: __, ...store } = memorySessions()
    return store
  }
  expect(await failuresOf(makeStore)).toEqual([])
  const failures = await failuresOf(makeStore, { branches: 'required' })
  expect(failures).toContain('a branch outlives its origin')
  expect(failures.every((name) => /branch|fork/.test(name))).toBe(true)
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
    'changing a message that was given or loaded does not change the stored one',
  )
})

test('a failed check reports the actual value', async () => {
  const makeStore = () => ({ ...memorySessions(), list: async () => [{ id: 'x', version: 1, updatedAt: 0 }] })
  const [check] = sessionStoreChecks(makeStore)
  await expect(check?.run()).rejects.toThrow(
    'list should be [] but is [{"id":"x","updatedAt":0,"version":1}]',
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
    name.startsWith('an append to a different version'),
  )
  await expect(check?.run()).rejects.toThrow('should fail with a CapstanError "conflict" but threw Error')
})
