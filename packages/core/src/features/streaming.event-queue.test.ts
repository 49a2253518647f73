import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { EventQueue } from './streaming.js'

test('events come out in the order in which they went in, and nothing behind the last', () => {
  const queue = new EventQueue<number>()
  const read: (number | undefined)[] = []
  for (let event = 0; event < 10; event += 2) {
    queue.push(event)
    queue.push(event + 1)
    read.push(queue.shift())
  }
  for (let rest = 0; rest < 6; rest++) read.push(queue.shift())
  expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, undefined])
  queue.push(10)
  expect(queue.shift()).toBe(10)
})

test('a reader that is always one event behind does not keep all that it has read', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const queue = new EventQueue<object>()
  queue.push({})
  const read = Array.from({ length: 1000 }, () => pushed(queue))
  await new Promise(setImmediate)
  collect()
  expect(read.filter((event) => event.deref() !== undefined).length).toBeLessThan(200)
  expect(queue.shift()).toBeDefined()
})

function pushed(queue: EventQueue<object>): WeakRef<object> {
  const event = {}
  queue.push(event)
  queue.shift()
  return new WeakRef(event)
}
