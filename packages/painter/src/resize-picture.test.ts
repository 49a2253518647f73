import { expect, test } from 'vitest'
import { brightness, correlation } from '../test/picture-facts.js'
import { paintPrompt } from './paint-prompt.js'
import { resizePicture } from './resize-picture.js'

const { picture } = paintPrompt({ prompt: 'a house', width: 96, height: 64 })

test('the result has the new size and the same content', () => {
  for (const [width, height] of [
    [48, 32],
    [31, 77],
    [200, 150],
    [16, 16],
  ] as const) {
    const resized = resizePicture(picture, { width, height })
    expect([resized.width, resized.height, resized.pixels.length]).toEqual([
      width,
      height,
      width * height * 4,
    ])
    expect(correlation(brightness(picture, 8), brightness(resized, 8))).toBeGreaterThan(0.8)
  }
})

test('the same size gives the same image', () => {
  expect(resizePicture(picture, { width: 96, height: 64 })).toBe(picture)
})

test('a plain colour stays the same', () => {
  const plain = { width: 7, height: 5, pixels: new Uint8ClampedArray(7 * 5 * 4).fill(200) }
  for (const side of [3, 20]) {
    const { pixels } = resizePicture(plain, { width: side, height: side })
    expect(pixels.every((value) => value === 200)).toBe(true)
  }
})

test('hidden colours of transparent pixels do not bleed', () => {
  const pixels = Uint8ClampedArray.of(255, 0, 0, 0, 0, 0, 255, 255)
  const [r, g, b, alpha] = resizePicture({ width: 2, height: 1, pixels }, { width: 1, height: 1 }).pixels
  expect([r, g, b]).toEqual([0, 0, 255])
  expect(alpha).toBe(128)
})
