import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDeadline } from './concurrency.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

/** Work that ends when it is told to, and does not look at its signal. */
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

test('work in time is answered with what it gave, and leaves no listener behind', async () => {
  const parent = new AbortController()
  const { result: answer, settled } = withDeadline(parent.signal, 1000, async () => 'done')
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1)
  expect(await answer).toBe('done')
  await settled
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0)
})

test('work that fails is answered with its error, and is over all the same', async () => {
  const broken = new Error('broken')
  const { result: answer, settled } = withDeadline(new AbortController().signal, 1000, () =>
    Promise.reject(broken),
  )
  await expect(answer).rejects.toBe(broken)
  await expect(settled).resolves.toBeUndefined()
})

test('without a deadline there is no timer', async () => {
  const { end, start } = stubborn()
  const { result: answer } = withDeadline(new AbortController().signal, undefined, start)
  expect(vi.getTimerCount()).toBe(0)
  end.resolve('at last')
  expect(await answer).toBe('at last')
})

test('at the deadline the work hears of it and is answered for, though it goes on', async () => {
  const { end, start, signal } = stubborn()
  const { result: answer, settled } = withDeadline(new AbortController().signal, 50, start)
  vi.advanceTimersByTime(49)
  expect(signal()?.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  await expect(answer).rejects.toMatchObject({
    code: 'timeout',
    message: 'The tool did not finish within 50 ms. It may have taken effect.',
    evidence: { timeoutMs: 50 },
  })
  expect(signal()?.reason).toMatchObject({ code: 'timeout' })
  expect(await isOver(settled)).toBe(false)
  end.resolve('too late')
  await settled
})

test('work that fails after its deadline is over, and its failure reaches nobody', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const { end, start } = stubborn()
  const { result: answer, settled } = withDeadline(new AbortController().signal, 50, start)
  vi.advanceTimersByTime(50)
  await expect(answer).rejects.toMatchObject({ code: 'timeout' })
  end.reject(new Error('too late'))
  await settled
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

test('when the parent aborts, the work hears its reason and is answered for with it', async () => {
  const parent = new AbortController()
  const { end, start, signal } = stubborn()
  const { result: answer, settled } = withDeadline(parent.signal, 50, start)
  parent.abort('stop')
  expect(signal()?.reason).toBe('stop')
  await expect(answer).rejects.toBe('stop')
  expect(await isOver(settled)).toBe(false)
  end.reject('too late')
  await settled
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0)
})

test('a parent that aborted before is told to the work at its start', async () => {
  const { end, start, signal } = stubborn()
  const { result: answer } = withDeadline(AbortSignal.abort('early'), 50, start)
  expect(signal()?.reason).toBe('early')
  await expect(answer).rejects.toBe('early')
  end.resolve('too late')
})

test('an abort after the answer changes nothing', async () => {
  const parent = new AbortController()
  const { start, end, signal } = stubborn()
  const { result: answer } = withDeadline(parent.signal, 50, start)
  end.resolve('done')
  expect(await answer).toBe('done')
  parent.abort('late')
  vi.advanceTimersByTime(100)
  expect(signal()?.aborted).toBe(false)
})
