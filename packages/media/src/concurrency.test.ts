import { expect, test } from 'vitest'
import { forEachConcurrent } from './concurrency.js'

/** Yields numbers from 1, and records which were created and whether it was closed. */
function numbers(upTo: number, made: number[] = [], closed: string[] = []) {
  return (async function* () {
    try {
      for (let i = 1; i <= upTo; i++) {
        made.push(i)
        yield i
      }
    } finally {
      closed.push('closed')
    }
  })()
}

const never = new AbortController().signal
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('creates no more items than run at once, and runs each', async () => {
  const made: number[] = []
  const done: number[] = []
  let [now, most] = [0, 0]
  const run = async (item: number) => {
    most = Math.max(most, ++now)
    expect(made.length - done.length).toBeLessThanOrEqual(2)
    await turn()
    now--
    done.push(item)
  }
  await forEachConcurrent(numbers(7, made), { inFlight: 2, run }, never)
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(most).toBe(2)
})

test('aborts and awaits the others when one fails, and creates no more', async () => {
  const made: number[] = []
  const closed: string[] = []
  const ends: string[] = []
  const run = async (item: number, signal: AbortSignal) => {
    if (item === 3) throw new Error('three')
    while (!signal.aborted) await turn()
    await turn()
    ends.push(`${item} aborted by ${signal.reason}`)
    throw signal.reason
  }
  const work = forEachConcurrent(numbers(9, made, closed), { inFlight: 3, run }, never)
  await expect(work).rejects.toThrow('three')
  expect(made).toEqual([1, 2, 3])
  expect(ends).toEqual(['1 aborted by Error: three', '2 aborted by Error: three'])
  expect(closed).toEqual(['closed'])
})

test("aborts all items with the caller's reason", async () => {
  const controller = new AbortController()
  const run = (item: number, signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      if (item === 2) controller.abort(new Error('enough'))
    })
  await expect(forEachConcurrent(numbers(9), { inFlight: 2, run }, controller.signal)).rejects.toThrow(
    'enough',
  )
})

test('throws the error of the iterator', async () => {
  async function* broken() {
    yield 1
    throw new Error('no more')
  }
  await expect(forEachConcurrent(broken(), { inFlight: 2, run: async () => {} }, never)).rejects.toThrow(
    'no more',
  )
})
