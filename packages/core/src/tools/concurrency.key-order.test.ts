import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { KeyOrder } from './concurrency.js'

const turns = () => new Promise(setImmediate)
const never = new AbortController().signal

/** Joins calls, and records in `reached` those that may continue. */
function line(...names: readonly string[]) {
  const order = new KeyOrder()
  const reached: string[] = []
  const places = names.map((name) => {
    const place = order.join()
    void place.waitForEarlier(never).then(() => reached.push(name))
    return place
  })
  const pass = async (index: number) => {
    places[index]?.pass()
    await turns()
  }
  return { reached, pass }
}

test('the first call does not wait, the others wait for all before them', async () => {
  const { reached, pass } = line('a', 'b', 'c')
  await turns()
  expect(reached).toEqual(['a'])
  await pass(1)
  expect(reached).toEqual(['a'])
  await pass(0)
  expect(reached).toEqual(['a', 'b', 'c'])
})

test('a second pass has no effect', async () => {
  const { reached, pass } = line('a', 'b', 'c')
  await pass(0)
  await pass(0)
  expect(reached).toEqual(['a', 'b'])
})

test('an abort rejects the wait with its reason and keeps the place for later calls', async () => {
  const order = new KeyOrder()
  const first = order.join()
  const second = order.join()
  const third = order.join()
  const controller = new AbortController()
  const waiting = second.waitForEarlier(controller.signal)
  controller.abort('stop')
  await expect(waiting).rejects.toBe('stop')
  let isReached = false
  void third.waitForEarlier(never).then(() => {
    isReached = true
  })
  first.pass()
  await turns()
  expect(isReached).toBe(false)
  second.pass()
  await turns()
  expect(isReached).toBe(true)
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
})

test('each reply has its own order', async () => {
  new KeyOrder().join()
  await new KeyOrder().join().waitForEarlier(never)
})
