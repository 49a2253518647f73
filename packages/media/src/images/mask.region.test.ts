import { isCapstanError } from '@capstan/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskFromRegion } from './mask.js'

const size = { width: 6, height: 4 }

function drawn(shape: Parameters<typeof maskFromRegion>[0]): string[] {
  const text = [...maskFromRegion(shape, size).marked].map((value) => (value ? '#' : '.')).join('')
  return text.match(/.{6}/g) ?? []
}

test('marks boxes in pixels', () => {
  const boxes = [
    { x: 0, y: 0, width: 2, height: 1 },
    { x: 4, y: 2, width: 2, height: 2 },
    { x: 0, y: 3, width: 1, height: 1 },
  ]
  expect(drawn({ boxes })).toEqual(['##....', '......', '....##', '#...##'])
})

test('accepts a sum that exceeds the side by a part of a pixel', () => {
  const boxes = [{ x: 0.51, y: 0, width: 0.5, height: 1 }]
  expect(drawn({ boxes })).toEqual(['...###', '...###', '...###', '...###'])
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

const box = { x: 1, y: 1, width: 2, height: 2 }

test.each([
  ['outside', { ...box, x: 6 }, 'is outside the image'],
  ['below', { ...box, y: 40 }, 'is outside the image'],
  ['partly outside', { ...box, x: 5 }, 'reaches outside the image'],
  ['partly outside in fractions', { x: 0.5, y: 0, width: 0.9, height: 1 }, 'reaches outside the image'],
  ['at a negative position', { ...box, x: -3 }, 'starts at a negative position'],
  ['at a negative fraction', { x: -0.1, y: 0, width: 0.5, height: 0.5 }, 'starts at a negative position'],
  ['with swapped corners', { x: 3, y: 3, width: -2, height: -2 }, 'has a negative width or height'],
  ['without a height', { ...box, height: 0 }, 'is empty'],
  ['of less than a pixel', { x: 1.1, y: 1, width: 0.2, height: 2 }, 'covers no pixel'],
  ['with NaN', { ...box, width: Number.NaN }, 'has a number that is not finite'],
  ['without an end', { ...box, height: Number.POSITIVE_INFINITY }, 'has a number that is not finite'],
])('rejects a box %s with the size of the image', (_what, wrong, problem) => {
  for (const ellipse of [false, true]) {
    expect(() => maskFromRegion({ boxes: [box, wrong], ellipse }, size)).toThrow(
      `"region" box 2 ${problem}. The image is 6x4 pixels. Use boxes inside it.`,
    )
  }
})

test('rejects a region without boxes', () => {
  expect(() => maskFromRegion({ boxes: [] }, size)).toThrow(
    '"region" marks nothing. The image is 6x4 pixels. Use boxes inside it.',
  )
})

const number = fc.oneof(
  fc.double({ min: -20, max: 20 }),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -0),
)

test('marks at least a pixel of each box, or rejects the region as invalid arguments', () => {
  const area = fc.record({ x: number, y: number, width: number, height: number })
  fc.assert(
    fc.property(fc.array(area, { maxLength: 3 }), fc.boolean(), (boxes, ellipse) => {
      try {
        const { marked } = maskFromRegion({ boxes, ellipse }, size)
        expect(marked.length).toBe(24)
        expect(marked).toContain(255)
        for (const { x, y, width, height } of boxes) {
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
          expect(Math.min(width, height)).toBeGreaterThan(0)
        }
      } catch (error) {
        if (!isCapstanError(error)) throw error
        expect(error).toMatchObject({ code: 'invalid_arguments', evidence: { width: 6, height: 4 } })
      }
    }),
  )
})

test('rejects an image that is too large for a mask', () => {
  const boxes = [{ x: 0, y: 0, width: 1, height: 1 }]
  expect(() => maskFromRegion({ boxes }, { width: 10_000, height: 9000 })).toThrow(
    'at most 50 megapixels. Use a smaller image',
  )
})
