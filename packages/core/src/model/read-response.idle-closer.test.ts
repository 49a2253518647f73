import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { IdleCloser } from './read-response.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const watched = () => {
  const leave = vi.fn()
  return { leave, linger: new IdleCloser(leave) }
}

test('closes two seconds after the end of the content, whatever else arrives', () => {
  const { leave, linger } = watched()
  for (let heartbeat = 0; heartbeat < 4; heartbeat++) {
    linger.update({ isFinished: true, isWhole: false })
    vi.advanceTimersByTime(499)
  }
  expect(leave).not.toHaveBeenCalled()
  vi.advanceTimersByTime(4)
  expect(leave).toHaveBeenCalledOnce()
})

test('closes 250 ms after a complete JSON body, with or without white space', () => {
  const { leave, linger } = watched()
  linger.update({ isFinished: true, isWhole: true })
  vi.advanceTimersByTime(200)
  linger.update({ isFinished: true, isWhole: true })
  vi.advanceTimersByTime(50)
  expect(leave).toHaveBeenCalledOnce()
})

test('keeps reading a body that continues', () => {
  const { leave, linger } = watched()
  linger.update({ isFinished: false, isWhole: true })
  vi.advanceTimersByTime(200)
  linger.update({ isFinished: false, isWhole: false })
  vi.advanceTimersByTime(10_000)
  expect(leave).not.toHaveBeenCalled()
})

test('closes nothing after stop', () => {
  const { leave, linger } = watched()
  linger.update({ isFinished: true, isWhole: true })
  linger.stop()
  expect(vi.getTimerCount()).toBe(0)
  expect(leave).not.toHaveBeenCalled()
})
