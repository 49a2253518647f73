import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConcurrencyLimit } from './concurrency.js'

const never = new AbortController().signal
const soon = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Work that enters a lane, and whose answer and end are told from outside. */
function enter(lane: ConcurrencyLimit, signal = never) {
  const work = { startedAt: Number.NaN, error: undefined as unknown, answer: () => {}, end: () => {} }
  const answer = new Promise<void>((resolve) => {
    work.answer = resolve
  })
  const settled = new Promise<void>((resolve) => {
    work.end = resolve
  })
  const start = () => {
    work.startedAt = Date.now()
    lane.watch({ result: answer, settled })
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
    message: expect.stringContaining(`Call not run: timed-out calls hold every slot of ${of} (1)`),
    evidence: { concurrency: 1 },
  })

test('work that goes on past its answer holds its slot for a second, then those that wait are told', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 1 })
  const hung = enter(lane)
  const waiting = enter(lane)
  hung.answer()
  await soon(999)
  expect(waiting.error).toBeUndefined()
  await soon(1)
  expect(waiting.error).toEqual(stalled('"t"'))
  expect(waiting.startedAt).toBeNaN()
})

test('what comes after that is told at once, until the hung work is over', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 1 })
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

test('a lane that has recovered can be held up again, however often work went well between', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 1 })
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

test('work that is over within the second lets the next begin, and leaves no timer', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 1 })
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

test('while one slot of several goes round, those that wait are left waiting', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 2 })
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

test('work that is answered when it is over needs no timer at all', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 1 })
  const work = enter(lane)
  await soon()
  work.end()
  await null
  work.answer()
  await soon()
  expect(vi.getTimerCount()).toBe(0)
})

test('an abort removes what waits, with its reason, and lets go of the signal', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 1 })
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

test('an abort leaves what goes on alone: its slot is its own until it is over', async () => {
  const lane = new ConcurrencyLimit({ of: '"t"', concurrency: 1 })
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

const paced = (calls: number, intervalMs = 100) =>
  new ConcurrencyLimit({ of: '"t"', concurrency: Number.POSITIVE_INFINITY, rate: { calls, intervalMs } })

/** Enters work that is over at once. */
function pass(lane: ConcurrencyLimit, signal?: AbortSignal) {
  const work = enter(lane, signal)
  work.end()
  work.answer()
  return work
}

test('no stretch of the interval sees more calls start than the rate allows', async () => {
  const lane = paced(2)
  const start = Date.now()
  const works = [pass(lane)]
  await soon(90)
  for (let i = 0; i < 4; i++) works.push(pass(lane))
  await soon(1000)
  expect(works.map(({ startedAt }) => startedAt - start)).toEqual([0, 90, 100, 190, 200])
})

test('a rate leaves no timer when nothing waits any more, though the interval is not over', async () => {
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

test('what left the line does not count in the rate', async () => {
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
