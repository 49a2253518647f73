import { afterEach, expect, test, vi } from 'vitest'
import { safeListener } from './async.js'

const broken = new Error('the listener broke')
const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()

afterEach(() => {
  vi.unstubAllGlobals()
  warn.mockClear()
})

test('a listener gets the event itself', () => {
  const seen: object[] = []
  const event = { type: 'x' }
  safeListener((given: object) => seen.push(given))(event)
  expect(seen[0]).toBe(event)
  expect(warn).not.toHaveBeenCalled()
})

test('what a listener throws becomes a warning, and reaches nobody else', () => {
  safeListener(() => {
    throw broken
  })({})
  expect(warn.mock.calls).toEqual([[broken]])
})

test('what an asynchronous listener rejects with becomes a warning, and no unhandled rejection', async () => {
  safeListener(async () => {
    throw broken
  })({})
  await new Promise(setImmediate)
  expect(warn.mock.calls).toEqual([[broken]])
})

test.each(['a word', undefined, Object.create(null)])(
  'a listener may throw what is no error (case %#)',
  (thrown) => {
    safeListener(() => {
      throw thrown
    })({})
    expect(warn.mock.calls).toEqual([[expect.any(Error)]])
  },
)

test('where there is no process, the failure is reported as the platform does', () => {
  const report = vi.fn()
  vi.stubGlobal('process', undefined)
  vi.stubGlobal('reportError', report)
  safeListener(() => {
    throw broken
  })({})
  expect(report.mock.calls).toEqual([[broken]])
})
