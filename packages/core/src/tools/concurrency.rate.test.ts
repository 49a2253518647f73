import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { named } from '../../test/call-context.js'
import { rateLimit } from '../features/rate-limit.js'
import { createCallScheduler, type SlotScheduler } from './concurrency.js'
import type { Tool } from './tool.js'

const never = new AbortController().signal

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Takes a slot for work of `ms` milliseconds, and records its start in `starts`. */
function take(slots: SlotScheduler, tool: Tool, { ms = 0, starts = [] as number[], signal = never } = {}) {
  return slots.take({ tool }, signal, () => {
    starts.push(Date.now() - 1_000_000)
    const settled = new Promise<void>((resolve) => setTimeout(resolve, ms))
    return { result: settled, settled }
  })
}

const limited = (calls: number, concurrency?: number) =>
  named('t', () => 1, {
    rate: rateLimit({ calls, intervalMs: 100 }),
    ...(concurrency === undefined ? {} : { concurrency }),
  })

test('the rate of a tool holds over all runs, and not for other tools', async () => {
  const tool = limited(2)
  const starts: number[] = []
  const others: number[] = []
  const [one, other] = [createCallScheduler(8), createCallScheduler(8)]
  const all = [one, other, one, other].map((slots) => take(slots, tool, { starts }))
  all.push(take(one, limited(2), { starts: others }))
  await vi.advanceTimersByTimeAsync(300)
  expect(starts).toEqual([0, 0, 100, 100])
  expect(others).toEqual([0])
  await Promise.all(all)
})

test('tools that share a rate limit count for themselves', async () => {
  const rate = rateLimit({ calls: 1, intervalMs: 100 })
  const [one, other] = [named('one', () => 1, { rate }), named('other', () => 1, { rate })]
  const slots = createCallScheduler(8)
  const starts: number[] = []
  const taken = [one, other, one].map((tool) => take(slots, tool, { starts }))
  await vi.advanceTimersByTimeAsync(150)
  await Promise.all(taken)
  expect(starts).toEqual([0, 0, 100])
})

test('a rate counts starts of functions, not of waits', async () => {
  const slots = createCallScheduler(1)
  const tool = limited(1)
  const starts: number[] = []
  const all = [
    take(
      slots,
      named('slow', () => 1),
      { ms: 500 },
    ),
  ]
  for (let i = 0; i < 3; i++) all.push(take(slots, tool, { starts }))
  await vi.advanceTimersByTimeAsync(1000)
  expect(starts).toEqual([500, 600, 700])
  await Promise.all(all)
})

test('rate and concurrency of a tool both hold', async () => {
  const tool = limited(3, 1)
  const starts: number[] = []
  const all = [1, 2, 3, 4, 5].map(() => take(createCallScheduler(8), tool, { ms: 20, starts }))
  await vi.advanceTimersByTimeAsync(1000)
  expect(starts).toEqual([0, 20, 40, 100, 120])
  await Promise.all(all)
})

test('an abort ends the wait for a rate at once', async () => {
  const slots = createCallScheduler(8)
  const tool = limited(1)
  const controller = new AbortController()
  await Promise.all([take(slots, tool), vi.advanceTimersByTimeAsync(0)])
  const waiting = take(slots, tool, { signal: controller.signal })
  const refused = expect(waiting).rejects.toBe('stop')
  controller.abort('stop')
  await refused
})
