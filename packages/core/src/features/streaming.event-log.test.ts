import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { EventLog } from './streaming.js'

const over = { done: true, value: undefined }
const item = (value: number) => ({ done: false, value })
const gone = (first: number) => ({ code: 'not_found', evidence: { first } })

function logOf(keep: 'unread' | number, ...events: readonly number[]): EventLog<number> {
  const log = new EventLog<number>(keep)
  for (const event of events) log.push(event)
  return log
}

async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const event of events) all.push(event)
  return all
}

const even = (event: number) => (event % 2 === 0 ? event : undefined)

test('answers several requests in turn, as events come', async () => {
  const log = logOf('unread', 0)
  const reader = log.read({ pick: even })
  const asked = Array.from({ length: 6 }, () => reader.next())
  for (const event of [1, 2, 3]) log.push(event)
  await asked[1]
  asked.push(reader.next())
  log.push(4)
  log.end()
  log.push(6)
  expect(await Promise.all(asked)).toEqual([item(0), item(2), item(4), over, over, over, over])
})

test('throws the error of the end once, behind all events', async () => {
  const log = logOf('unread')
  const reader = log.read()
  const asked = Array.from({ length: 3 }, () => reader.next().catch(({ message }: Error) => message))
  log.push(0)
  log.end(new Error('broken'))
  expect(await Promise.all(asked)).toEqual([item(0), 'broken', over])
  expect(await reader.next()).toEqual(over)
})

test.each(['return', 'signal'] as const)(
  'a waiting reader that leaves by its %s ends at once, and takes nothing more',
  async (way) => {
    const log = logOf('unread')
    const told: string[] = []
    const leaving = new AbortController()
    const reader = log.read({
      begin: () => told.push('begun'),
      leave: () => told.push('left'),
      signal: leaving.signal,
    })
    const waiting = reader.next()
    if (way === 'signal') leaving.abort()
    else expect(await reader.return?.()).toEqual(over)
    expect(told).toEqual(['begun', 'left'])
    log.push(0)
    expect(await waiting).toEqual(over)
    expect(await reader.next()).toEqual(over)
    log.end()
    expect(await collect(log.read())).toEqual([0])
  },
)

test('a reader that leaves before its first event did not begin', async () => {
  const log = logOf('unread', 0)
  const told: string[] = []
  const reader = log.read({ begin: () => told.push('begun'), leave: () => told.push('left') })
  expect(await reader.return?.()).toEqual(over)
  expect(await reader.next()).toEqual(over)
  expect(await log.read({ signal: AbortSignal.abort() }).next()).toEqual(over)
  expect(told).toEqual([])
})

test('readers at any position read the same events', async () => {
  const log = logOf(10, 0, 1, 2, 3)
  const reading = [undefined, -1, 1, 3, 5].map((after) =>
    collect(log.read(after === undefined ? {} : { after })),
  )
  for (const event of [4, 5, 6]) log.push(event)
  log.end()
  expect(await Promise.all(reading)).toEqual([
    [0, 1, 2, 3, 4, 5, 6],
    [0, 1, 2, 3, 4, 5, 6],
    [2, 3, 4, 5, 6],
    [4, 5, 6],
    [6],
  ])
})

test('keeps the newest events; a reader that needs others gets an error', async () => {
  const log = logOf(4, 0, 1)
  const slow = log.read()
  expect(await slow.next()).toEqual(item(0))
  for (let event = 2; event < 20; event++) log.push(event)
  // The log is trimmed once it contains half as many events again as it keeps.
  const first = 15
  await expect(slow.next()).rejects.toMatchObject(gone(first))
  expect(await slow.next()).toEqual(over)
  expect(() => log.read({ after: first - 2 })).toThrow(`Events before ${first} are no longer kept.`)
  log.end()
  const kept = [15, 16, 17, 18, 19]
  expect(await collect(log.read({ after: first - 1 }))).toEqual(kept)
  expect(await collect(log.read())).toEqual(kept)
})

test('a reader that leaves lets the next one continue behind it', async () => {
  const log = logOf('unread', 0, 1, 2, 3)
  for await (const event of log.read()) if (event === 1) break
  log.end()
  expect(await collect(log.read())).toEqual([2, 3])
})

test('with none kept, a waiting reader still receives each event', async () => {
  const log = logOf(0, 0)
  const reader = log.read()
  const asked = [reader.next(), reader.next()]
  log.push(1)
  log.push(2)
  expect(await Promise.all(asked)).toEqual([item(1), item(2)])
  log.push(3)
  await expect(reader.next()).rejects.toMatchObject(gone(4))
  expect(await reader.next()).toEqual(over)
})

test('a reader that is always one event behind does not keep what it has read', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const log = new EventLog<object>('unread')
  log.push({})
  const reader = log.read()
  const read: WeakRef<object>[] = []
  for (let n = 0; n < 1000; n++) read.push(await pushed(log, reader))
  await new Promise(setImmediate)
  collectGarbage()
  expect(read.filter((event) => event.deref() !== undefined).length).toBeLessThan(210)
  expect((await reader.next()).done).toBe(false)
})

async function pushed(log: EventLog<object>, reader: AsyncIterator<object>): Promise<WeakRef<object>> {
  const event = {}
  log.push(event)
  await reader.next()
  return new WeakRef(event)
}
