import { expect, test } from 'vitest'
import { mediaTypeOf, startImageLinks } from './image-links.js'

test('serves an image at an unguessable path', () => {
  const links = startImageLinks()
  const paths = [Uint8Array.of(1), Uint8Array.of(2)].map((bytes) => links.put(bytes, 'png'))
  expect(paths[0]).toMatch(/^\/files\/[\w-]{32}\.png$/)
  expect(paths[0]).not.toBe(paths[1])
  expect(paths.map((path) => links.get(path))).toEqual([Uint8Array.of(1), Uint8Array.of(2)])
  expect(links.get('/files/guess.png')).toBeUndefined()
})

test('a link expires', () => {
  let time = 0
  const links = startImageLinks({ ttlMs: 1000, now: () => time })
  const path = links.put(Uint8Array.of(1), 'png')
  time = 999
  expect(links.get(path)).toBeDefined()
  time = 1000
  expect(links.get(path)).toBeUndefined()
})

test('the oldest images expire beyond the byte limit', () => {
  const links = startImageLinks({ maxBytes: 10 })
  const [first = '', second = '', third = ''] = [4, 4, 4].map((size) =>
    links.put(new Uint8Array(size), 'png'),
  )
  expect(links.get(first)).toBeUndefined()
  expect([links.get(second), links.get(third)]).toEqual([new Uint8Array(4), new Uint8Array(4)])
})

test('a closed store is empty', () => {
  const links = startImageLinks()
  const path = links.put(Uint8Array.of(1), 'png')
  links.close()
  expect(links.get(path)).toBeUndefined()
})

test('the path of an image determines its media type', () => {
  const links = startImageLinks()
  const paths = (['png', 'jpeg', 'webp'] as const).map((kind) => links.put(Uint8Array.of(1), kind))
  expect(paths.map(mediaTypeOf)).toEqual(['image/png', 'image/jpeg', 'image/webp'])
})
