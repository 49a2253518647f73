import { once } from 'node:events'
import { createStorage } from 'unstorage'
import { expect, test } from 'vitest'
import type { Message } from '../types/message.js'
import { type KeyValueStorage, unstorageSessions } from './unstorage-sessions.js'

const say = (...texts: string[]): Message[] => texts.map((content) => ({ role: 'user', content }))

/** A storage whose every operation takes a while, some longer than others. */
function slowStorage(inner: KeyValueStorage = createStorage()): KeyValueStorage {
  const late = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
  const slowly = async <T>(work: () => Promise<T>): Promise<T> => {
    await late()
    const value = await work()
    await late()
    return value
  }
  return {
    getItem: (key) => slowly(() => inner.getItem(key)),
    setItem: (key, value) => slowly(() => inner.setItem(key, value)),
    removeItem: (key) => slowly(() => inner.removeItem(key)),
    getKeys: (base) => slowly(() => inner.getKeys(base)),
  }
}

test('an append is one key under the name of its session', async () => {
  const storage = createStorage()
  const sessions = unstorageSessions(storage)
  await sessions.append('User 1', say('a'), 0)
  await sessions.append('User 1', say('b'), 1)
  const keys = (await storage.getKeys()).sort()
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/^sessions:session-user-1-[0-9a-f]{32}:0-1-\d+-[0-9a-f-]{36}$/)
  expect(keys[1]).toMatch(/:1-1-\d+-/)
})

test('an append reads no messages', async () => {
  const storage = createStorage()
  const read: string[] = []
  const watched: KeyValueStorage = {
    ...storage,
    getItem: (key) => {
      read.push(key)
      return storage.getItem(key)
    },
  }
  const sessions = unstorageSessions(watched)
  for (let version = 0; version < 5; version++) await sessions.append('s', say('m'), version)
  expect(read).toEqual([])
})

test('fields that a storage would drop when it reads JSON come back', async () => {
  const [message] = JSON.parse(
    '[{"role":"assistant","content":"","x":{"__proto__":{"a":1},"constructor":{"prototype":1}}}]',
  )
  const sessions = unstorageSessions(createStorage())
  await sessions.append('s', [message], 0)
  expect(JSON.stringify((await sessions.load('s')).messages)).toBe(JSON.stringify([message]))
})

test('through one store of a slow storage exactly one of several appends wins', async () => {
  const sessions = unstorageSessions(slowStorage())
  const appends = ['a', 'b', 'c'].map((text) => sessions.append('s', say(text), 0))
  const outcomes = await Promise.allSettled(appends)
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('of two stores over one storage one wins, and the other leaves nothing', async () => {
  const shared = createStorage()
  const stores = [unstorageSessions(slowStorage(shared)), unstorageSessions(slowStorage(shared))]
  const race = async (id: string) => {
    const appends = stores.map((store, at) => store.append(id, say(`${at}`), 0))
    const outcomes = await Promise.allSettled(appends)
    const winners = outcomes.flatMap(({ status }, at) => (status === 'fulfilled' ? [`${at}`] : []))
    const { messages } = await unstorageSessions(shared).load(id)
    return { winners, texts: messages.map(({ content }) => content) }
  }
  const ids = Array.from({ length: 100 }, (_, at) => `s${at}`)
  const races = await Promise.all(ids.map(race))
  // None when they met again and again.
  expect(races.filter(({ winners }) => winners.length === 1).length).toBeGreaterThan(80)
  for (const { winners, texts } of races) expect(texts).toEqual(winners)
  expect(await shared.getKeys()).toHaveLength(races.flatMap(({ texts }) => texts).length)
})

test('two stores over one storage that load and add again after each conflict lose nothing', async () => {
  const shared = createStorage()
  const added: string[] = []
  const fill = async (name: string) => {
    const sessions = unstorageSessions(slowStorage(shared))
    for (let at = 0; at < 6; ) {
      const { version } = await sessions.load('s')
      const outcome = await sessions.append('s', say(`${name}${at}`, 'its answer'), version).catch((e) => e)
      if (typeof outcome === 'number') added.push(`${name}${at++}`)
      else expect(outcome).toMatchObject({ code: 'conflict' })
    }
  }
  await Promise.all(['a', 'b'].map(fill))
  const { messages } = await unstorageSessions(shared).load('s')
  expect(messages).toEqual(added.flatMap((name) => say(name, 'its answer')))
  expect(added.toSorted()).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5'])
})

/** The key by which a process claims a session. */
async function claimOf(sessions: KeyValueStorage, time: number): Promise<string> {
  const [key = ''] = await sessions.getKeys('sessions')
  return key.replace(/:[^:]+$/, `:claim-${time}-${crypto.randomUUID()}`)
}

test('while another process claims a session, appends and deleting are conflicts that may be tried again', async () => {
  const storage = createStorage()
  const sessions = unstorageSessions(storage)
  await sessions.append('s', say('a'), 0)
  const claim = await claimOf(storage, Date.now() + 3_600_000)
  await storage.setItem(claim, 'claim')
  const busy = { code: 'conflict', retryable: true, message: expect.stringContaining('Try again') }
  await expect(sessions.append('s', say('b'), 1)).rejects.toMatchObject(busy)
  await expect(sessions.delete('s')).rejects.toMatchObject(busy)
  expect(await sessions.load('s')).toMatchObject({ version: 1 })
  await storage.removeItem(claim)
  expect(await sessions.append('s', say('b'), 1)).toBe(2)
})

test('the claim of a process that died half a minute ago stops nobody, and is cleared away', async () => {
  const storage = createStorage()
  const sessions = unstorageSessions(storage)
  await sessions.append('s', say('a'), 0)
  await storage.setItem(await claimOf(storage, Date.now() - 30_000), 'claim')
  expect(await sessions.append('s', say('b'), 1)).toBe(2)
  expect(await storage.getKeys()).toHaveLength(2)
})

test('a storage that keeps nothing is an error, not a session', async () => {
  const readOnly: KeyValueStorage = { ...createStorage(), setItem: async () => {} }
  await expect(unstorageSessions(readOnly).append('s', say('a'), 0)).rejects.toMatchObject({
    code: 'unsupported',
  })
})

test('other keys are none of its sessions', async () => {
  const storage = createStorage()
  const sessions = unstorageSessions(storage)
  await sessions.append('s', say('a'), 0)
  const [key = ''] = await storage.getKeys()
  const base = key.slice(0, key.lastIndexOf(':'))
  for (const other of ['sessions:x', 'x', `${base}:notes`, `${base}:0-1`, 'sessions:__proto__:0-1-1-a:b'])
    await storage.setItem(other, 'x')
  expect(await sessions.list()).toMatchObject([{ id: 's', version: 1 }])
  expect(await sessions.load('s')).toMatchObject({ version: 1, messages: say('a') })
  await sessions.delete('s')
  expect(await storage.getKeys()).toHaveLength(5)
})

test('a session that lost a key in its middle is refused, not shortened', async () => {
  const storage = createStorage()
  const sessions = unstorageSessions(storage)
  for (let version = 0; version < 3; version++) await sessions.append('s', say('m'), version)
  const middle = (await storage.getKeys()).find((key) => key.includes(':1-1-')) ?? ''
  await storage.removeItem(middle)
  const refused = { code: 'invalid_state', message: expect.stringContaining('messages 2 to 2 are missing') }
  await expect(sessions.load('s')).rejects.toMatchObject(refused)
  await expect(sessions.append('s', say('x'), 1)).rejects.toMatchObject(refused)
})

test.each([
  ['a newer format', 'session/2 {"anything":1}', 'format 2'],
  ['something else', 'hello', 'has a different format'],
  ['half of its value', 'session/1 {"id":"s","messages":[{"ro', 'has a different format'],
])('a key with %s is refused', async (_what, value, why) => {
  const storage = createStorage()
  const sessions = unstorageSessions(storage)
  await sessions.append('s', say('m'), 0)
  const [key = ''] = await storage.getKeys()
  await storage.setItem(key, value)
  const refused = { code: 'invalid_state', message: expect.stringContaining(why), evidence: { id: 's', key } }
  await expect(sessions.load('s')).rejects.toMatchObject(refused)
  // The list has the other sessions, and a warning says which key it leaves out.
  await sessions.append('other', say('m'), 0)
  const warned = once(process, 'warning')
  expect(await sessions.list()).toMatchObject([{ id: 'other', version: 1 }])
  expect(await warned).toMatchObject([{ code: 'invalid_state', evidence: { key } }])
})

test('a session that is deleted between its keys and its values is loaded as deleted', async () => {
  const storage = createStorage()
  const sessions = unstorageSessions(storage)
  for (let version = 0; version < 4; version++) await sessions.append('s', say('m'), version)
  const deleting: KeyValueStorage = {
    ...storage,
    async getItem(key) {
      await sessions.delete('s')
      return storage.getItem(key)
    },
  }
  expect(await unstorageSessions(deleting).load('s')).toEqual({ id: 's', version: 0, messages: [] })
})
