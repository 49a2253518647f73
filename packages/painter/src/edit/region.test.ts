import { expect, test } from 'vitest'
import type { Picture } from '../picture.js'
import { depthOf, toRegion } from './region.js'

test('marks the transparent pixels of a mask in any colour', () => {
  const { inside, bounds, count } = toRegion(
    mask([
      [255, 255],
      [255, 0],
      [0, 127],
      [0, 128],
    ]),
  )
  expect([...inside]).toEqual([0, 1, 1, 0])
  expect([bounds, count]).toEqual([{ left: 1, top: 0, right: 3, bottom: 1 }, 2])
})

test('marks the light pixels of an opaque mask', () => {
  expect([
    ...toRegion(
      mask([
        [255, 255],
        [128, 255],
        [127, 255],
        [0, 255],
      ]),
    ).inside,
  ]).toEqual([1, 1, 0, 0])
})

test('the depth is the distance to the outside; the image edge is not outside', () => {
  const region = {
    width: 5,
    height: 1,
    inside: Uint8Array.of(0, 1, 1, 1, 1),
    bounds: { left: 1, top: 0, right: 5, bottom: 1 },
    count: 4,
  }
  expect([...depthOf(region)]).toEqual([0, 1, 2, 3, 4])
})

/** A mask of one row, from the grey level and alpha of each pixel. */
function mask(row: [level: number, alpha: number][]): Picture {
  const pixels = Uint8ClampedArray.from(row.flatMap(([level, alpha]) => [level, level, level, alpha]))
  return { width: row.length, height: 1, pixels }
}
