import { expect, test } from 'vitest'
import { startInOrder } from './host.js'

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

test('what is begun in any order, a few turns of the event loop apart, starts in the order of its places', async () => {
  const turn = startInOrder()
  const started: number[] = []
  const all: Promise<void>[] = []
  // Places 1 and 4 are never begun: they have an outcome.
  for (const place of [3, 0, 5, 2]) {
    all.push(turn(place).then(() => void started.push(place)))
    await turnOfTheLoop()
    await turnOfTheLoop()
  }
  await Promise.all(all)
  expect(started).toEqual([0, 2, 3, 5])
})

test('what is begun later starts as well', async () => {
  const turn = startInOrder()
  await turn(1)
  await turn(0)
})
