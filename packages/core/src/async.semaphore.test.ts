import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { Semaphore } from './async.js'

const turns = () => new Promise(setImmediate)
const never = new AbortController().signal

/** Work that goes through a gate, notes that it has begun, and ends when it is told. */
function work(gate: Semaphore, begun: string[], name: string, signal = never) {
  let end = () => {}
  const done = gate.run(signal, () => {
    begun.push(name)
    return new Promise<string>((resolve) => {
      end = () => resolve(name)
    })
  })
  done.catch(() => {})
  return { done, end: () => end() }
}

test('limits concurrent work and keeps the order of arrival', async () => {
  const gate = new Semaphore(2)
  const begun: string[] = []
  const [a, b] = ['a', 'b', 'c', 'd'].map((name) => work(gate, begun, name))
  await turns()
  expect(begun).toEqual(['a', 'b'])
  expect(gate.hasFreeSlot).toBe(false)
  b?.end()
  expect(await b?.done).toBe('b')
  await turns()
  a?.end()
  await turns()
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
})

test('frees the slot of failed work', async () => {
  const gate = new Semaphore(1)
  const failing = () => {
    throw new Error('at once')
  }
  await expect(gate.run(never, failing)).rejects.toThrow('at once')
  await expect(gate.run(never, () => Promise.reject(new Error('later')))).rejects.toThrow('later')
  expect(gate.hasFreeSlot).toBe(true)
})

test('removes waiting work on abort', async () => {
  const gate = new Semaphore(1)
  const begun: string[] = []
  const stop = new AbortController()
  const first = work(gate, begun, 'first')
  const second = work(gate, begun, 'second', stop.signal)
  const third = work(gate, begun, 'third')
  await turns()
  stop.abort('enough')
  await expect(second.done).rejects.toBe('enough')
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
  first.end()
  await turns()
  expect(begun).toEqual(['first', 'third'])
  third.end()
  await turns()
  expect(gate.hasFreeSlot).toBe(true)
  await expect(gate.run(stop.signal, async () => 'never')).rejects.toBe('enough')
})

test.each([0, 1, 2, 3, 4, 5])(
  'nothing begins after an abort, also %i turns after it was let in',
  async (count) => {
    const gate = new Semaphore(1)
    const stop = new AbortController()
    const first = work(gate, [], 'first')
    const second = gate.run(stop.signal, async () => stop.signal.aborted)
    first.end()
    for (let turn = 0; turn < count; turn++) await undefined
    stop.abort('enough')
    expect(await second.catch((reason) => reason)).toBeOneOf([false, 'enough'])
    expect(gate.hasFreeSlot).toBe(true)
  },
)
