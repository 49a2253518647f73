import { expect, test } from 'vitest'
import { brightness, correlation, withoutScene } from '../test/picture-facts.js'
import { paintPrompt } from './paint-prompt.js'
import { blankPicture } from './picture.js'
import { varyPicture } from './vary-picture.js'

const own = paintPrompt({ prompt: 'a red sailboat at sunset', width: 128, height: 96 }).picture
const picture = withoutScene(own)

test('a variation keeps light and dark areas, mirrored or not', () => {
  for (const index of [0, 1, 2, 9]) {
    const varied = brightness(varyPicture({ picture, index }))
    const mirrored = Array.from({ length: 16 }, (_, row) =>
      varied.slice(row * 16, row * 16 + 16).reverse(),
    ).flat()
    const likeness = [varied, mirrored].map((grid) => correlation(grid, brightness(picture)))
    expect(Math.max(...likeness), `index ${index}`).toBeGreaterThan(0.85)
  }
})

test('ten variations differ from each other and from the original', () => {
  const seen = [picture, ...Array.from({ length: 10 }, (_, index) => varyPicture({ picture, index }))]
  expect(new Set(seen.map(({ pixels }) => pixels.join())).size).toBe(11)
})

test('the same image and index give the same bytes', () => {
  expect(varyPicture({ picture, index: 3 })).toEqual(varyPicture({ picture, index: 3 }))
})

test('transparent pixels stay transparent', () => {
  const { pixels } = varyPicture({ picture: blankPicture(20, 20), index: 0 })
  expect(pixels.filter((_, i) => i % 4 === 3).every((alpha) => alpha === 0)).toBe(true)
})

test('an image of the painter is composed again, with the same things', () => {
  const varied = [0, 1].map((index) => varyPicture({ picture: own, index }))
  expect(varied[0]?.pixels).not.toEqual(varied[1]?.pixels)
  for (const { scene } of varied) expect(scene).toContain('"noun":"sailboat"')
  expect(varyPicture({ picture: own, index: 0 })).toEqual(varied[0])
})
