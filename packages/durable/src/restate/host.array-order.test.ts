import { expect, test } from 'vitest'
import { startInOrder } from './host.js'

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

test('closures called in any order within a few turns start in array order', async () => {
  const turn = startInOrder()
  const started: number[] = []
  const all: Promise<void>[] = []
  // Steps 1 and 4 never start, because they already have a result.
  for (const place of [3, 0, 5, 2]) {
    all.push(turn(place).then(() => void started.push(place)))
    await turnOfTheLoop()
    await turnOfTheLoop()
  }
  await Promise.all(all)
  expect(started).toEqual([0, 2, 3, 5])
})

test('a closure that is called later starts too', async () => {
  const turn = startInOrder()
  await turn(1)
  await turn(0)
})
