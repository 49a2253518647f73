import { createStorage } from 'unstorage'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RunEntry } from './run-store.js'
import { type UnstorageRunStore, unstorageRunStore } from './unstorage-run-store.js'

const entry: RunEntry = {
  owner: 'ada',
  agent: 'helper',
  status: 'running',
  callIds: [],
  createdAt: 1,
  updatedAt: 1,
  record: null,
}

let storage: ReturnType<typeof createStorage>
let stores: UnstorageRunStore[]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  storage = createStorage()
  stores = []
})

afterEach(async () => {
  for (const store of stores) await store.close()
  vi.useRealTimers()
})

function open(): UnstorageRunStore {
  const store = unstorageRunStore(storage)
  stores.push(store)
  return store
}

/** Advances the time, including the heartbeats that are due. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  for (let at = 0; at < 20; at++) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns the heartbeats in the storage. */
const holders = () => storage.getKeys('run-store:')

test('a second store gets conflict while the first one lives, and nothing is stored', async () => {
  const [first, second] = [open(), open()]
  expect(await holders()).toEqual([])
  await first.put('r', entry, 0)
  for (let round = 0; round < 10; round++) {
    await expect(second.put('r', entry, 1)).rejects.toMatchObject({ code: 'conflict', retryable: true })
    await expect(second.get('r')).rejects.toThrow('Another store holds this storage')
    await pass(10_000)
  }
  expect((await holders()).length).toBe(1)
  expect((await first.get('r'))?.version).toBe(1)
})

test('after close another store goes on immediately, and the closed one is rejected', async () => {
  const [first, second] = [open(), open()]
  await first.put('r', entry, 0)
  await first.append('r', [{ seq: 0 }], -1)
  await first.close()
  expect(await holders()).toEqual([])
  expect((await second.get('r'))?.version).toBe(1)
  await second.append('r', [{ seq: 1 }], 0)
  expect(await second.read('r', -1)).toEqual([{ seq: 0 }, { seq: 1 }])
  await expect(first.get('r')).rejects.toMatchObject({ code: 'invalid_request' })
  await first.close()
})

test('a store that has not been seen for 30 seconds counts as dead', async () => {
  await storage.setItem('run-store:dead', `heartbeat/1 ${Date.now()}`)
  const store = open()
  await pass(29_999)
  await expect(store.get('r')).rejects.toMatchObject({ code: 'conflict' })
  await pass(1)
  expect(await store.get('r')).toBeUndefined()
  expect((await holders()).length).toBe(1)
  expect(await holders()).not.toContain('run-store:dead')
})

test('a store that was stopped for long sees that another one holds the storage, and what it wrote', async () => {
  const [first, second] = [open(), open()]
  await first.put('r', entry, 0)
  await first.append('r', [{ seq: 0 }], -1)
  expect((await first.list({ limit: 10 })).runs.length).toBe(1)
  vi.setSystemTime(Date.now() + 40_000)
  await second.append('r', [{ seq: 1, by: 'second' }], 0)
  await second.put('other', entry, 0)
  await pass(15_000)
  await expect(first.append('r', [{ seq: 1 }], 0)).rejects.toThrow('Another store holds this storage')
  await second.close()
  await expect(first.append('r', [{ seq: 1 }], 0)).rejects.toMatchObject({ evidence: { last: 1 } })
  expect((await first.list({ limit: 10 })).runs.length).toBe(2)
})

test('of several stores that start at the same time at most one holds the storage', async () => {
  for (let round = 0; round < 10; round++) {
    const all = Array.from({ length: 5 }, open)
    const outcomes = await Promise.allSettled(all.map((store) => store.get('r')))
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1)
    for (const store of all) await store.close()
  }
})

test('a run that is created again after a delete that was cut off has no events', async () => {
  const first = open()
  await first.put('r', entry, 0)
  await first.append('r', [{ seq: 0 }], -1)
  for (const key of await storage.getKeys('runs:')) await storage.removeItem(key)
  await first.close()
  const second = open()
  expect(await second.read('r', -1)).toEqual([])
  await second.put('r', entry, 0)
  expect(await second.read('r', -1)).toEqual([])
  await second.append('r', [{ seq: 0, by: 'second' }], -1)
  expect(await second.read('r', -1)).toEqual([{ seq: 0, by: 'second' }])
})

test.each([
  ['runs:', 'run/2 {}', 'newer'],
  ['runs:', 'run/1 {"runId":"r"', 'damaged'],
  ['runs:', 'something else', 'damaged'],
  ['run-events:', 'events/1 []', 'damaged'],
  ['run-events:', undefined, 'damaged'],
  ['run-keys:', 'value/1 7', 'damaged'],
])('a value under %s that is %s is invalid_state, and its key is named', async (base, value, why) => {
  const store = open()
  await store.put('r', entry, 0)
  await store.append('r', [{ seq: 0 }, { seq: 1 }], -1)
  await store.append('r', [{ seq: 2 }], 1)
  await store.setOnce('k', 1)
  await store.put('r', { ...entry, status: 'ended' }, 1)
  const [key = ''] = (await storage.getKeys(base)).sort()
  if (value === undefined) await storage.removeItem(key)
  else await storage.setItem(key, value)
  const reads = {
    'runs:': () => store.get('r'),
    'run-events:': () => store.read('r', -1),
    'run-keys:': () => store.find('k'),
  }
  const error = await Reflect.get(reads, base)().catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'invalid_state', message: expect.stringContaining(why) })
  expect(String(error)).toContain(base)
})

test('rejects what is not a storage', () => {
  // @ts-expect-error: a Map has no `getKeys`
  expect(() => unstorageRunStore(new Map())).toThrow('createStorage() from unstorage')
})
