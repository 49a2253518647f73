import { afterEach, expect, test, vi } from 'vitest'
import { startClock, toTimeouts } from './transport.js'

const defaults = { connect: 10_000, firstByte: 300_000, idle: 120_000, total: 600_000 }

afterEach(() => void vi.useRealTimers())

test('keeps defaults for omitted timeouts', () => {
  expect(toTimeouts()).toEqual(defaults)
  expect(toTimeouts(5)).toEqual({ ...defaults, total: 5 })
  // A caller in JavaScript, or one without `exactOptionalPropertyTypes`.
  const given = { idle: undefined, connect: 7 } as unknown as { connect: number }
  expect(toTimeouts(given)).toEqual({ ...defaults, connect: 7 })
})

test.each([0, -5, Number.NaN, '1000', { idle: 0 }, { idle: '5' }, { connect: null }, { conect: 5 }])(
  'a bound that is none is refused: %j',
  (given) => {
    expect(() => toTimeouts(given as number)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(/^timeoutMs(: | has no option )/),
      }),
    )
  },
)

test.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e15])('never fires a timeout of %d ms', (ms) => {
  vi.useFakeTimers()
  const late = vi.fn()
  const clock = startClock(toTimeouts({ idle: ms, total: ms }), late)
  clock.enter('idle')
  vi.advanceTimersByTime(1e9)
  expect(late).not.toHaveBeenCalled()
  clock.stop()
})

test('does not restart a stopped clock', () => {
  vi.useFakeTimers()
  const clock = startClock(toTimeouts(), vi.fn())
  clock.stop()
  clock.enter('idle')
  expect(vi.getTimerCount()).toBe(0)
})
