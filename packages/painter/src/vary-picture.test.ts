import { expect, test } from 'vitest'
import { brightness, correlation } from '../test/picture-facts.js'
import { paintPrompt } from './paint-prompt.js'
import { blankPicture } from './picture.js'
import { varyPicture } from './vary-picture.js'

const { picture } = paintPrompt({ prompt: 'a red sailboat at sunset', width: 128, height: 96 })

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
