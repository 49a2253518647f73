import { expect, test } from 'vitest'
import { maskFromRegion } from './mask.js'

const size = { width: 6, height: 4 }

function drawn(shape: Parameters<typeof maskFromRegion>[0]): string[] {
  const text = [...maskFromRegion(shape, size).marked].map((value) => (value ? '#' : '.')).join('')
  return text.match(/.{6}/g) ?? []
}

test('marks boxes in pixels, inside the image', () => {
  const boxes = [
    { x: 0, y: 0, width: 2, height: 1 },
    { x: 4, y: 2, width: 50, height: 50 },
    { x: -3, y: 3, width: 4, height: 1 },
  ]
  expect(drawn({ boxes })).toEqual(['##....', '......', '....##', '#...##'])
})

test('reads numbers up to 1 as fractions of the image', () => {
  expect(drawn({ boxes: [{ x: 0.5, y: 0.5, width: 0.5, height: 0.5 }] })).toEqual([
    '......',
    '......',
    '...###',
    '...###',
  ])
})

test('marks an ellipse inside its box', () => {
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
])('rejects %j, which marks nothing', (shape) => {
  expect(() => maskFromRegion(shape, size)).toThrow(
    '"region" marks nothing of the image, which is 6x4 pixels',
  )
})

test('rejects an image that is too large for a mask', () => {
  const boxes = [{ x: 0, y: 0, width: 1, height: 1 }]
  expect(() => maskFromRegion({ boxes }, { width: 10_000, height: 9000 })).toThrow(
    'at most 50 megapixels. Give a smaller one',
  )
})
