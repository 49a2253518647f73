import { expect, test } from 'vitest'
import { Room } from './owned-cache.js'

function roomFor(mostBytes: number) {
  const left: string[] = []
  const room = new Room<{ owner: string; name: string }>(mostBytes, ({ name }) => left.push(name))
  const keep = (owner: string, name: string, bytes = 0) => {
    const thing = { owner, name }
    room.keep(thing, bytes)
    return thing
  }
  return { room, left, keep }
}

test("an owner's oldest give way to that owner's newest, and to nobody else's", () => {
  const { left, keep } = roomFor(8 * 3000)
  keep('ann', 'a1')
  keep('bob', 'b1')
  keep('bob', 'b2')
  expect(left).toEqual([])
  keep('bob', 'b3')
  expect(left).toEqual(['b1'])
})

test('where there is no room at all the oldest of all give way', () => {
  const { left, keep } = roomFor(8 * 3000)
  for (let at = 0; at < 30; at++) keep(`user ${at}`, `${at}`)
  expect(left).toEqual(['0', '1', '2', '3', '4', '5', '6'])
})

test('the newest stays, however large it is, and what is small is counted as well', () => {
  const { left, keep } = roomFor(1)
  keep('ann', 'a1', 1e9)
  expect(left).toEqual([])
  keep('bob', 'b1')
  expect(left).toEqual(['a1'])
})

test('what is dropped makes room, and leaves once', () => {
  const { room, left, keep } = roomFor(8 * 3000)
  const first = keep('ann', 'a1', 1900)
  room.drop(first)
  room.drop(first)
  keep('ann', 'a2', 1900)
  expect(left).toEqual(['a1'])
  room.clear()
  expect(left).toEqual(['a1', 'a2'])
})

test("what others keep is not looked at when an owner's oldest give way", () => {
  const { room, left, keep } = roomFor(8 * 3000)
  let looks = 0
  const watched = (owner: string) => ({
    name: owner,
    get owner() {
      looks += 1
      return owner
    },
  })
  for (const owner of ['bob', 'eve', 'joe']) room.keep(watched(owner), 0)
  looks = 0
  for (let at = 0; at < 10; at++) keep('ann', `a${at}`)
  expect(left).toHaveLength(8)
  expect(looks).toBe(0)
})
