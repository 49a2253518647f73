import { expect, test } from 'vitest'
import { OwnedCache } from './owned-cache.js'

function roomFor(maxBytes: number) {
  const left: string[] = []
  const room = new OwnedCache<{ owner: string; name: string }>(maxBytes, ({ name }) => left.push(name))
  const add = (owner: string, name: string, bytes = 0) => {
    const thing = { owner, name }
    room.add(thing, bytes)
    return thing
  }
  return { room, left, add }
}

test("evicts an owner's oldest entries for that owner's newest only", () => {
  const { left, add } = roomFor(8 * 3000)
  add('ann', 'a1')
  add('bob', 'b1')
  add('bob', 'b2')
  expect(left).toEqual([])
  add('bob', 'b3')
  expect(left).toEqual(['b1'])
})

test('evicts the oldest entries of all when the cache is full', () => {
  const { left, add } = roomFor(8 * 3000)
  for (let at = 0; at < 30; at++) add(`user ${at}`, `${at}`)
  expect(left).toEqual(['0', '1', '2', '3', '4', '5', '6'])
})

test('keeps the newest entry of any size, and counts small entries too', () => {
  const { left, add } = roomFor(1)
  add('ann', 'a1', 1e9)
  expect(left).toEqual([])
  add('bob', 'b1')
  expect(left).toEqual(['a1'])
})

test('a deleted entry frees its bytes and is evicted once', () => {
  const { room, left, add } = roomFor(8 * 3000)
  const first = add('ann', 'a1', 1900)
  room.delete(first)
  room.delete(first)
  add('ann', 'a2', 1900)
  expect(left).toEqual(['a1'])
  room.clear()
  expect(left).toEqual(['a1', 'a2'])
})

test("evicting an owner's oldest entry does not visit entries of others", () => {
  const { room, left, add } = roomFor(8 * 3000)
  let looks = 0
  const watched = (owner: string) => ({
    name: owner,
    get owner() {
      looks += 1
      return owner
    },
  })
  for (const owner of ['bob', 'eve', 'joe']) room.add(watched(owner), 0)
  looks = 0
  for (let at = 0; at < 10; at++) add('ann', `a${at}`)
  expect(left).toHaveLength(8)
  expect(looks).toBe(0)
})
