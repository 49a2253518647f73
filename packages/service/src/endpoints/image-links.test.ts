import { expect, test } from 'vitest'
import { startImageLinks } from './image-links.js'

test('an image is found at its path, which nobody can guess', () => {
  const links = startImageLinks()
  const paths = [Uint8Array.of(1), Uint8Array.of(2)].map((bytes) => links.put(bytes))
  expect(paths[0]).toMatch(/^\/files\/[\w-]{32}\.png$/)
  expect(paths[0]).not.toBe(paths[1])
  expect(paths.map((path) => links.get(path))).toEqual([Uint8Array.of(1), Uint8Array.of(2)])
  expect(links.get('/files/guess.png')).toBeUndefined()
})

test('a link ends after its time', () => {
  let time = 0
  const links = startImageLinks({ ttlMs: 1000, now: () => time })
  const path = links.put(Uint8Array.of(1))
  time = 999
  expect(links.get(path)).toBeDefined()
  time = 1000
  expect(links.get(path)).toBeUndefined()
})

test('the oldest images go when there are too many bytes', () => {
  const links = startImageLinks({ maxBytes: 10 })
  const [first = '', second = '', third = ''] = [4, 4, 4].map((size) => links.put(new Uint8Array(size)))
  expect(links.get(first)).toBeUndefined()
  expect([links.get(second), links.get(third)]).toEqual([new Uint8Array(4), new Uint8Array(4)])
})

test('a closed store holds nothing', () => {
  const links = startImageLinks()
  const path = links.put(Uint8Array.of(1))
  links.close()
  expect(links.get(path)).toBeUndefined()
})
