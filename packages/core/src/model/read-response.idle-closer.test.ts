import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeWhenIdle } from './read-response.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const watched = (isFinished: boolean, isWhole: boolean) => {
  const response = { isFinished, isWhole, leave: vi.fn() }
  return { response, timer: closeWhenIdle(response, response) }
}

test('closes two seconds after the end of the content', () => {
  const { response } = watched(true, false)
  vi.advanceTimersByTime(1999)
  expect(response.leave).not.toHaveBeenCalled()
  vi.advanceTimersByTime(300)
  expect(response.leave).toHaveBeenCalledOnce()
})

test('closes 250 ms after a complete JSON body', () => {
  const { response } = watched(false, false)
  vi.advanceTimersByTime(10_000)
  Object.assign(response, { isFinished: true, isWhole: true })
  vi.advanceTimersByTime(249)
  expect(response.leave).not.toHaveBeenCalled()
  vi.advanceTimersByTime(130)
  expect(response.leave).toHaveBeenCalledOnce()
})

test('keeps reading a body that continues', () => {
  const { response } = watched(true, true)
  vi.advanceTimersByTime(249)
  Object.assign(response, { isFinished: false, isWhole: false })
  vi.advanceTimersByTime(10_000)
  expect(response.leave).not.toHaveBeenCalled()
})

test('closes nothing after stop', () => {
  const { response, timer } = watched(true, true)
  clearInterval(timer)
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(10_000)
  expect(response.leave).not.toHaveBeenCalled()
})
