import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDeadline } from './async.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Work that the test ends, and that ignores its signal. */
function stubborn() {
  const end: { resolve(value: string): void; reject(error: unknown): void } = { resolve() {}, reject() {} }
  const start = vi.fn(
    (_signal: AbortSignal) =>
      new Promise<string>((...both) => Object.assign(end, { resolve: both[0], reject: both[1] })),
  )
  return { end, start, signal: () => start.mock.calls[0]?.[0] }
}

const isOver = (settled: Promise<void>) =>
  Promise.race([settled.then(() => true), new Promise(setImmediate).then(() => false)])

test('resolves with the value of work in time, and leaves no listener', async () => {
  const parent = new AbortController()
  const { result: answer, settled } = withDeadline(
    parent.signal,
    { name: 'slow', timeoutMs: 1000 },
    async () => 'done',
  )
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1)
  expect(await answer).toBe('done')
  await settled
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0)
})

test('rejects with the error of failed work, and settles', async () => {
  const broken = new Error('broken')
  const { result: answer, settled } = withDeadline(
    new AbortController().signal,
    { name: 'slow', timeoutMs: 1000 },
    () => Promise.reject(broken),
  )
  await expect(answer).rejects.toBe(broken)
  await expect(settled).resolves.toBeUndefined()
})

test('sets no timer without a deadline', async () => {
  const { end, start } = stubborn()
  const { result: answer } = withDeadline(
    new AbortController().signal,
    { name: 'slow', timeoutMs: undefined },
    start,
  )
  expect(vi.getTimerCount()).toBe(0)
  end.resolve('at last')
  expect(await answer).toBe('at last')
})

test('at the deadline aborts the signal and rejects, while the work continues', async () => {
  const { end, start, signal } = stubborn()
  const { result: answer, settled } = withDeadline(
    new AbortController().signal,
    { name: 'slow', timeoutMs: 50 },
    start,
  )
  vi.advanceTimersByTime(49)
  expect(signal()?.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  await expect(answer).rejects.toMatchObject({
    code: 'timeout',
    message: '"slow" timed out after 50 ms. It may have taken effect; check before you repeat it.',
    evidence: { tool: 'slow', timeoutMs: 50 },
  })
  expect(signal()?.reason).toMatchObject({ code: 'timeout' })
  expect(await isOver(settled)).toBe(false)
  end.resolve('too late')
  await settled
})

test('drops the error of work that fails after its deadline', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const { end, start } = stubborn()
  const { result: answer, settled } = withDeadline(
    new AbortController().signal,
    { name: 'slow', timeoutMs: 50 },
    start,
  )
  vi.advanceTimersByTime(50)
  await expect(answer).rejects.toMatchObject({ code: 'timeout' })
  end.reject(new Error('too late'))
  await settled
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

test("rejects with the parent's reason, and passes it to the work", async () => {
  const parent = new AbortController()
  const { end, start, signal } = stubborn()
  const { result: answer, settled } = withDeadline(parent.signal, { name: 'slow', timeoutMs: 50 }, start)
  parent.abort('stop')
  expect(signal()?.reason).toBe('stop')
  await expect(answer).rejects.toBe('stop')
  expect(await isOver(settled)).toBe(false)
  end.reject('too late')
  await settled
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0)
})

test('starts the work with an aborted signal if the parent has aborted', async () => {
  const { end, start, signal } = stubborn()
  const { result: answer } = withDeadline(AbortSignal.abort('early'), { name: 'slow', timeoutMs: 50 }, start)
  expect(signal()?.reason).toBe('early')
  await expect(answer).rejects.toBe('early')
  end.resolve('too late')
})

test('an abort after the result has no effect', async () => {
  const parent = new AbortController()
  const { start, end, signal } = stubborn()
  const { result: answer } = withDeadline(parent.signal, { name: 'slow', timeoutMs: 50 }, start)
  end.resolve('done')
  expect(await answer).toBe('done')
  parent.abort('late')
  vi.advanceTimersByTime(100)
  expect(signal()?.aborted).toBe(false)
})
