import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { IdleCloser } from './read-response.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const watched = () => {
  const leave = vi.fn()
  return { leave, linger: new IdleCloser(leave) }
}

test('two seconds after all that counts has come it leaves, whatever else comes', () => {
  const { leave, linger } = watched()
  for (let heartbeat = 0; heartbeat < 4; heartbeat++) {
    linger.update({ isFinished: true, isWhole: false })
    vi.advanceTimersByTime(499)
  }
  expect(leave).not.toHaveBeenCalled()
  vi.advanceTimersByTime(4)
  expect(leave).toHaveBeenCalledOnce()
})

test('a body that is closed is left after a quarter of a second, white space or not', () => {
  const { leave, linger } = watched()
  linger.update({ isFinished: true, isWhole: true })
  vi.advanceTimersByTime(200)
  linger.update({ isFinished: true, isWhole: true })
  vi.advanceTimersByTime(50)
  expect(leave).toHaveBeenCalledOnce()
})

test('a body that goes on is read on', () => {
  const { leave, linger } = watched()
  linger.update({ isFinished: false, isWhole: true })
  vi.advanceTimersByTime(200)
  linger.update({ isFinished: false, isWhole: false })
  vi.advanceTimersByTime(10_000)
  expect(leave).not.toHaveBeenCalled()
})

test('once it is over, nobody leaves', () => {
  const { leave, linger } = watched()
  linger.update({ isFinished: true, isWhole: true })
  linger.stop()
  expect(vi.getTimerCount()).toBe(0)
  expect(leave).not.toHaveBeenCalled()
})
