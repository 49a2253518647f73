import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Debouncer } from './mcp-tools.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Returns work that takes the given time, and requests itself again when it is done. */
function withoutEnd(ms: number) {
  let times = 0
  const paced = new Debouncer(async () => {
    times += 1
    paced.worked(ms)
    paced.request()
  })
  paced.request()
  return { paced, times: () => times }
}

test('endless requests take a twentieth of the time', () => {
  const { paced, times } = withoutEnd(50)
  vi.advanceTimersByTime(10_100)
  expect(times()).toBe(11)
  paced.stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('runs the work once for many requests', () => {
  let times = 0
  const paced = new Debouncer(async () => {
    times += 1
  })
  for (let at = 0; at < 100; at++) paced.request()
  vi.advanceTimersByTime(10_000)
  expect(times).toBe(1)
})
