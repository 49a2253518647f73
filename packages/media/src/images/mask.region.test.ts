import { expect, test } from 'vitest'
import { maskFromRegion } from './mask.js'

const size = { width: 6, height: 4 }

function drawn(shape: Parameters<typeof maskFromRegion>[0]): string[] {
  const text = [...maskFromRegion(shape, size).marked].map((value) => (value ? '#' : '.')).join('')
  return text.match(/.{6}/g) ?? []
}

test('boxes in pixels, as far as they lie in the image', () => {
  const boxes = [
    { x: 0, y: 0, width: 2, height: 1 },
    { x: 4, y: 2, width: 50, height: 50 },
    { x: -3, y: 3, width: 4, height: 1 },
  ]
  expect(drawn({ boxes })).toEqual(['##....', '......', '....##', '#...##'])
})

test('numbers up to 1 are parts of the image', () => {
  expect(drawn({ boxes: [{ x: 0.5, y: 0.5, width: 0.5, height: 0.5 }] })).toEqual([
    '......',
    '......',
    '...###',
    '...###',
  ])
})

test('an ellipse fills its box but for the corners', () => {
  expect(drawn({ boxes: [{ x: 0, y: 0, width: 6, height: 4 }], ellipse: true })).toEqual([
    '.####.',
    '######',
    '######',
    '.####.',
  ])
})

test.each([
  [{ boxes: [] }],
  [{ boxes: [{ x: 6, y: 0, width: 2, height: 2 }] }],
  [{ boxes: [{ x: -9, y: 0, width: 3, height: 4 }], ellipse: true }],
  [{ boxes: [{ x: 2, y: 2, width: 0, height: -4 }] }],
])('%j marks nothing and is an error', (shape) => {
  expect(() => maskFromRegion(shape, size)).toThrow(
    '"region" marks nothing of the image, which is 6x4 pixels',
  )
})

test('the image may be too large for a mask', () => {
  const boxes = [{ x: 0, y: 0, width: 1, height: 1 }]
  expect(() => maskFromRegion({ boxes }, { width: 10_000, height: 9000 })).toThrow(
    'at most 50 megapixels. Give a smaller one',
  )
})
