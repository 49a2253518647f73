import { expect, test } from 'vitest'
import { EventQueue, readQueue } from './streaming.js'

/** A reader of a queue; `end` ends it, with an error where one is given. */
function reading() {
  const queue = new EventQueue<number>()
  let end = (_error?: Error) => {}
  const result = new Promise<void>((resolve, reject) => {
    end = (error) => {
      queue.end()
      if (error) reject(error)
      else resolve()
    }
  })
  result.catch(() => {})
  const left: string[] = []
  const reader = readQueue(queue, {
    pick: (event) => (event % 2 === 0 ? event : undefined),
    begin: () => left.push('begun'),
    result,
    leave: () => left.push('left'),
  })
  return { queue, reader, left, end: (error?: Error) => end(error) }
}

const over = { done: true, value: undefined }
const item = (value: number) => ({ done: false, value })

test('who asks several times without waiting is answered in turn, as events come', async () => {
  const { queue, reader, left, end } = reading()
  queue.push(0)
  const asked = Array.from({ length: 6 }, () => reader.next())
  for (const event of [1, 2, 3]) queue.push(event)
  await asked[1]
  asked.push(reader.next())
  queue.push(4)
  end()
  expect(await Promise.all(asked)).toEqual([item(0), item(2), item(4), over, over, over, over])
  expect(left).toEqual(['begun'])
})

test('what the end rejects with is told once, behind all events', async () => {
  const { queue, reader, end } = reading()
  const asked = Array.from({ length: 3 }, () => reader.next().catch(({ message }: Error) => message))
  queue.push(0)
  end(new Error('broken'))
  expect(await Promise.all(asked)).toEqual([item(0), 'broken', over])
  expect(await reader.next()).toEqual(over)
})

test('a reader that leaves while it waits is left alone at once, and takes nothing more', async () => {
  const { queue, reader, left, end } = reading()
  const waiting = reader.next()
  expect(await reader.return?.()).toEqual(over)
  expect(left).toEqual(['begun', 'left'])
  queue.push(0)
  expect(await waiting).toEqual(over)
  expect(await reader.next()).toEqual(over)
  expect(queue.shift()).toBe(0)
  end()
})

test('a reader that leaves before it began was none', async () => {
  const { queue, reader, left, end } = reading()
  queue.push(0)
  expect(await reader.return?.()).toEqual(over)
  expect(await reader.next()).toEqual(over)
  expect(left).toEqual([])
  expect(queue.shift()).toBe(0)
  end()
})
