import { expect, test } from 'vitest'
import { memoryRunStore } from './memory-run-store.js'
import type { RunEntry, RunStatus } from './run-store.js'

test('calls the watchers of a run after each put, append and delete of it', async () => {
  const store = memoryRunStore()
  let calls = 0
  let others = 0
  const end = store.watch?.('a', () => void calls++)
  store.watch?.('b', () => void others++)
  await store.put('a', entry('running'), 0)
  expect(calls).toBe(1)
  await store.append('a', [{ seq: 0 }], -1)
  expect(calls).toBe(2)
  await store.delete('a')
  expect(calls).toBe(3)
  end?.()
  await store.put('a', entry('running'), 0)
  expect([calls, others]).toEqual([3, 0])
})

test('a watcher finds the change when it is called, and its error does not fail the write', async () => {
  const store = memoryRunStore()
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  const seen: Promise<unknown>[] = []
  store.watch?.('a', () => {
    seen.push(store.read('a', -1))
    if (seen.length === 1) throw new Error('a broken watcher')
  })
  await store.put('a', entry('running'), 0)
  await store.append('a', [{ seq: 0 }], -1)
  expect(await Promise.all(seen)).toEqual([[], [{ seq: 0 }]])
  expect((await warned).message).toBe('a broken watcher')
})

test('removes the oldest ended runs of an owner beyond an eighth of the bytes', async () => {
  const store = memoryRunStore({ maxBytes: 80_000 })
  for (const id of ['1', '2', '3', '4'])
    await store.put(id, entry(id === '2' ? 'failed' : 'ended', 'ada', 2500), 0)
  await store.put('5', entry('ended', 'bob', 2000), 0)
  expect(await idsOf(store)).toEqual(['3', '4', '5'])
})

test('removes ended runs before pending ones, and running ones never', async () => {
  const store = memoryRunStore({ maxBytes: 80_000 })
  const owners = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay']
  for (const owner of owners) {
    await store.put(`pending ${owner}`, entry('pending', owner, 5000), 0)
    await store.put(`ended ${owner}`, entry('ended', owner, 5000), 0)
  }
  await store.put('running', entry('running', 'ada', 60_000), 0)
  const left = await idsOf(store)
  expect(left.filter((id) => id.startsWith('ended'))).toEqual([])
  expect(left.filter((id) => id.startsWith('pending')).length).toBeGreaterThan(0)
  await store.append('running', [{ seq: 0, text: 'x'.repeat(100_000) }], -1)
  expect(await idsOf(store)).toEqual(['running'])
})

test('a run in excess of all bytes stays until another one changes', async () => {
  const store = memoryRunStore({ maxBytes: 0 })
  await store.put('1', entry('ended', 'ada', 10), 0)
  expect(await idsOf(store)).toEqual(['1'])
  await store.put('2', entry('pending', 'bob', 10), 0)
  expect(await idsOf(store)).toEqual(['2'])
})

test('events count, and a run that goes on is not removed', async () => {
  const store = memoryRunStore({ maxBytes: 80_000 })
  await store.put('1', entry('ended', 'ada', 10), 0)
  await store.put('1', entry('running', 'ada', 10), 1)
  await store.append('1', [{ seq: 0, text: 'x'.repeat(90_000) }], -1)
  await store.put('2', entry('ended', 'bob', 10), 0)
  await store.put('3', entry('ended', 'cy', 10), 0)
  expect(await idsOf(store)).toEqual(['1', '3'])
})

test('forgets expired values', async () => {
  const store = memoryRunStore()
  for (let at = 0; at < 3000; at++) expect(await store.setOnce(`key ${at}`, at, 1)).toBe(true)
  expect(await store.find('key 2999')).toBeUndefined()
  expect(await store.setOnce('key 0', 'again')).toBe(true)
  expect(await store.find('key 0')).toBe('again')
})

test('rejects an option that it does not have', () => {
  // @ts-expect-error: unknown option
  expect(() => memoryRunStore({ maxByte: 1 })).toThrow('memoryRunStore has no option "maxByte"')
})

function entry(status: RunStatus, owner = 'ada', size = 0): RunEntry {
  const times = { createdAt: 1, updatedAt: 1 }
  return { owner, agent: 'helper', status, callIds: [], ...times, record: 'x'.repeat(size) }
}

async function idsOf(store: ReturnType<typeof memoryRunStore>): Promise<readonly string[]> {
  return (await store.list({ limit: 1000 })).runs.map(({ runId }) => runId)
}
