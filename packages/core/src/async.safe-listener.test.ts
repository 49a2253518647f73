import { afterEach, expect, test, vi } from 'vitest'
import { safeListener } from './async.js'

const broken = new Error('the listener broke')
const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()

afterEach(() => {
  vi.unstubAllGlobals()
  warn.mockClear()
})

test('passes the event itself', () => {
  const seen: object[] = []
  const event = { type: 'x' }
  safeListener((given: object) => seen.push(given))(event)
  expect(seen[0]).toBe(event)
  expect(warn).not.toHaveBeenCalled()
})

test('turns an exception of a listener into a warning', () => {
  safeListener(() => {
    throw broken
  })({})
  expect(warn.mock.calls).toEqual([[broken]])
})

test('turns a rejection of a listener into a warning', async () => {
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

test('uses reportError where process does not exist', () => {
  const report = vi.fn()
  vi.stubGlobal('process', undefined)
  vi.stubGlobal('reportError', report)
  safeListener(() => {
    throw broken
  })({})
  expect(report.mock.calls).toEqual([[broken]])
})
