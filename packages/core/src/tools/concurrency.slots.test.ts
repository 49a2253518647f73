import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rateLimit } from '../features/rate-limit.js'
import { ConcurrencyLimit, paceOf, type Slots } from './concurrency.js'

const never = new AbortController().signal
const soon = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Work that takes a slot. The test sets its result and its end. */
function enter(lane: Slots, signal = never) {
  const work = { startedAt: Number.NaN, error: undefined as unknown, answer: () => {}, end: () => {} }
  const answer = new Promise<void>((resolve) => {
    work.answer = resolve
  })
  const settled = new Promise<void>((resolve) => {
    work.end = resolve
  })
  const start = () => {
    work.startedAt = Date.now()
    lane.watch?.({ result: answer, settled })
    return settled
  }
  void lane.run(signal, start).catch((error) => {
    work.error = error
  })
  return work
}

const stalled = (of: string) =>
  expect.objectContaining({
    code: 'timeout',
    message: expect.stringContaining(`Did not run: earlier calls timed out and still occupy ${of} (1)`),
    evidence: { concurrency: 1 },
  })

test('work that outlives its result holds its slot for a second, then waiting calls fail', async () => {
  const lane = new ConcurrencyLimit('"t"', 1)
  const hung = enter(lane)
  const waiting = enter(lane)
  hung.answer()
  await soon(999)
  expect(waiting.error).toBeUndefined()
  await soon(1)
  expect(waiting.error).toEqual(stalled('"t"'))
  expect(waiting.startedAt).toBeNaN()
})

test('later calls fail at once until the hung work settles', async () => {
  const lane = new ConcurrencyLimit('"t"', 1)
  const hung = enter(lane)
  hung.answer()
  await soon(1000)
  const late = enter(lane)
  await soon()
  expect(late.error).toEqual(stalled('"t"'))
  hung.end()
  await soon()
  const after = enter(lane)
  await soon()
  expect(after.startedAt).toBe(Date.now())
  after.end()
  after.answer()
  await soon()
})

test('a limit that has recovered can get stuck again', async () => {
  const lane = new ConcurrencyLimit('"t"', 1)
  for (let round = 0; round < 3; round++) {
    const healthy = enter(lane)
    healthy.end()
    healthy.answer()
    await soon()
    const hung = enter(lane)
    hung.answer()
    await soon(1000)
    const late = enter(lane)
    await soon()
    expect(late.error).toEqual(stalled('"t"'))
    hung.end()
    await soon()
  }
})

test('work that settles within the second frees its slot and leaves no timer', async () => {
  const lane = new ConcurrencyLimit('"t"', 1)
  const slow = enter(lane)
  const next = enter(lane)
  slow.answer()
  await soon(500)
  expect(vi.getTimerCount()).toBe(1)
  slow.end()
  await soon()
  expect(vi.getTimerCount()).toBe(0)
  expect(next.startedAt).toBe(Date.now())
  next.end()
  next.answer()
  await soon()
})

test('calls keep waiting while one of several slots is in use normally', async () => {
  const lane = new ConcurrencyLimit('"t"', 2)
  const [hung, healthy] = [enter(lane), enter(lane)]
  const waiting = enter(lane)
  hung.answer()
  await soon(5000)
  expect(waiting.error).toBeUndefined()
  healthy.end()
  healthy.answer()
  await soon()
  expect(waiting.startedAt).toBe(Date.now())
  waiting.answer()
  await soon(1000)
  expect(enter(lane).error).toBeUndefined()
  await soon()
  hung.end()
  waiting.end()
  await soon()
})

test('work that settles with its result needs no timer', async () => {
  const lane = new ConcurrencyLimit('"t"', 1)
  const work = enter(lane)
  await soon()
  work.end()
  await null
  work.answer()
  await soon()
  expect(vi.getTimerCount()).toBe(0)
})

test('an abort rejects a waiting call with its reason and removes the listener', async () => {
  const lane = new ConcurrencyLimit('"t"', 1)
  const going = enter(lane)
  const controller = new AbortController()
  const waiting = enter(lane, controller.signal)
  await soon()
  controller.abort('stop')
  await soon()
  expect(waiting.error).toBe('stop')
  going.end()
  going.answer()
  await soon()
  expect(waiting.startedAt).toBeNaN()
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})

test('an abort leaves running work alone: it holds its slot until it settles', async () => {
  const lane = new ConcurrencyLimit('"t"', 1)
  const controller = new AbortController()
  const going = enter(lane, controller.signal)
  const next = enter(lane)
  await soon()
  controller.abort('stop')
  await soon()
  expect(going.error).toBeUndefined()
  expect(next.startedAt).toBeNaN()
  for (const work of [going, next]) {
    work.end()
    work.answer()
    await soon()
  }
  expect(next.startedAt).toBe(Date.now())
})

const paced = (calls: number, intervalMs = 100) => paceOf(rateLimit({ calls, intervalMs }))

/** Runs work that settles at once. */
function pass(lane: Slots, signal?: AbortSignal) {
  const work = enter(lane, signal)
  work.end()
  work.answer()
  return work
}

test('no interval has more starts than the rate allows', async () => {
  const lane = paced(2)
  const start = Date.now()
  const works = [pass(lane)]
  await soon(90)
  for (let i = 0; i < 4; i++) works.push(pass(lane))
  await soon(1000)
  expect(works.map(({ startedAt }) => startedAt - start)).toEqual([0, 90, 100, 190, 200])
})

test('a rate leaves no timer once nothing waits, even within the interval', async () => {
  const lane = paced(1, 60_000)
  pass(lane)
  await soon()
  expect(vi.getTimerCount()).toBe(0)
  const controller = new AbortController()
  const waiting = pass(lane, controller.signal)
  await soon()
  expect(vi.getTimerCount()).toBe(1)
  controller.abort('stop')
  await soon()
  expect(waiting.error).toBe('stop')
  expect(vi.getTimerCount()).toBe(0)
})

test('calls that stopped waiting do not count towards the rate', async () => {
  const lane = paced(1)
  const start = Date.now()
  pass(lane)
  const controller = new AbortController()
  pass(lane, controller.signal)
  const next = pass(lane)
  await soon()
  controller.abort('stop')
  await soon(1000)
  expect(next.startedAt - start).toBe(100)
})
