import { expect, test } from 'vitest'
import { some } from '../../../scripts/cases.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { brightness, correlation, isRed, pixelAt, shareOf, withoutScene } from '../test/picture-facts.js'
import { type EditOptions, editPicture } from './edit-picture.js'
import { PaintError } from './paint-error.js'
import { paintPrompt } from './paint-prompt.js'
import { blankPicture, type Picture } from './picture.js'

const meadow = withoutScene(paintPrompt({ prompt: 'a meadow, clear', width: 128, height: 128 }).picture)

function changesOnlyInside(prompt: string): void {
  const edited = editPicture({ picture: marked(meadow), mask: maskOf(meadow), prompt }).picture
  const changed = changesOf(marked(meadow), edited)
  expect(changed.some((i) => !isInside(i % 128, Math.floor(i / 128)))).toBe(false)
  expect(changed.length).toBeGreaterThan(500)
}

test.each(some(['snow', 'add a red balloon']))(
  'the edit "%s" changes only bytes inside the mask',
  changesOnlyInside,
)
slowTest.each(['remove the thing', 'make it darker', 'a starry night sky', 'a forest'])(
  'the edit "%s" changes only bytes inside the mask',
  changesOnlyInside,
)

test('fills the marked area with its surroundings', () => {
  const { picture, caption, understood } = editPicture({
    picture: marked(meadow),
    mask: maskOf(meadow),
    prompt: 'Remove the patch',
  })
  expect(shareOf(picture, isMagenta)).toBe(0)
  expect(correlation(brightness(picture), brightness(meadow))).toBeGreaterThan(0.95)
  expect([understood, caption]).toEqual([['remove'], 'the marked area filled from its surroundings'])
})

test('paints the prompt inside the mask', () => {
  const { picture, caption, understood } = editPicture({
    picture: meadow,
    mask: maskOf(meadow),
    prompt: 'add a red balloon',
  })
  expect(shareOf(picture, (pixel, x, y) => isRed(pixel) && isInside(x, y))).toBeGreaterThan(0.02)
  expect([understood, caption]).toEqual([['red', 'balloon'], 'a red balloon in the marked area'])
})

test('paints only the new thing of a replacement', () => {
  const { understood, caption } = editPicture({
    picture: meadow,
    mask: maskOf(meadow),
    prompt: 'replace the dog with a black cat',
  })
  expect([understood, caption]).toEqual([['black', 'cat'], 'a black cat in the marked area'])
})

slowTest('removes one thing and adds another', () => {
  const { understood } = editPicture({
    picture: meadow,
    mask: maskOf(meadow),
    prompt: 'erase the dog and add a tree',
  })
  expect(understood).toEqual(['erase', 'tree'])
})

slowTest('a mask without transparency marks with white', () => {
  const options = { picture: marked(meadow), prompt: 'remove it' }
  const transparent = editPicture({ ...options, mask: maskOf(meadow) })
  const white = editPicture({ ...options, mask: maskOf(meadow, [255, 255, 255, 255], [0, 0, 0, 255]) })
  expect(white.picture).toEqual(transparent.picture)
})

test('without a mask paints the transparent pixels', () => {
  const holed = { ...meadow, pixels: meadow.pixels.slice() }
  for (let i = 0; i < 128 * 128; i++) if (isInside(i % 128, Math.floor(i / 128))) holed.pixels[i * 4 + 3] = 0
  const { picture } = editPicture({ picture: holed, prompt: 'add a red balloon' })
  expect(picture.pixels.filter((_, i) => i % 4 === 3).every((alpha) => alpha === 255)).toBe(true)
  expect(changesOf(holed, picture).every((i) => isInside(i % 128, Math.floor(i / 128)))).toBe(true)
})

test('without a mask adds a thing in a fitting place and keeps the rest', () => {
  const upper = changesOf(meadow, editPicture({ picture: meadow, prompt: 'add a red balloon' }).picture)
  expect(upper.length).toBeGreaterThan(100)
  expect(upper.every((i) => i < 128 * 100)).toBe(true)
  const lower = changesOf(meadow, editPicture({ picture: meadow, prompt: 'add a cat' }).picture)
  expect(lower.length).toBeGreaterThan(100)
  expect(lower.every((i) => i > 128 * 28)).toBe(true)
})

function changesTheWhole(prompt: string): void {
  const house = withoutScene(paintPrompt({ prompt: 'a house', width: 128, height: 128 }).picture)
  const { picture } = editPicture({ picture: house, prompt })
  expect(changesOf(house, picture).length).toBeGreaterThan(128 * 100)
  expect(correlation(brightness(house), brightness(picture))).toBeGreaterThan(0.5)
}

test.each(some(['make it night', 'rain']))(
  '"%s" changes the whole image and keeps its content',
  changesTheWhole,
)
slowTest.each(['turn it to sunset', 'in black and white', 'darker', 'warmer'])(
  '"%s" changes the whole image and keeps its content',
  changesTheWhole,
)

test('black and white has no colour left', () => {
  const { picture } = editPicture({ picture: meadow, prompt: 'in black and white' })
  expect(shareOf(picture, ({ r, g, b }) => Math.max(r, g, b) - Math.min(r, g, b) > 2)).toBe(0)
})

test('the same edit gives the same bytes, another index a variant', () => {
  const tries = [0, 0, 1].map(
    (index) => editPicture({ picture: meadow, prompt: 'add a red balloon', index }).picture,
  )
  expect(tries[0]).toEqual(tries[1])
  expect(tries[0]).not.toEqual(tries[2])
})

test.each([
  'qwerty',
  'add a flumadiddle',
  'put a wombat under a tree',
  'make the horse look more disgruntled',
  'replace the dog with a flumadiddle',
])('"%s" leaves the image as it was, marked or not', (prompt) => {
  for (const mask of [{}, { mask: maskOf(meadow) }]) {
    const { picture, understood, unknown, caption } = editPicture({ picture: meadow, prompt, ...mask })
    if (mask.mask && prompt.startsWith('make')) continue
    expect(changesOf(meadow, picture)).toEqual([])
    expect(understood).toEqual([])
    expect(caption).toBe(`the picture, unchanged (not understood: ${unknown.join(', ')})`)
  }
})

test('a mask that marks everything gives a new image', () => {
  const mask = blankPicture(128, 128)
  const { picture } = editPicture({ picture: meadow, mask, prompt: 'a red sailboat' })
  expect(shareOf(picture, isRed)).toBeGreaterThan(0.01)
})

test('rejects a mask of another size with both sizes', () => {
  const error = failure({ picture: meadow, mask: blankPicture(64, 32), prompt: 'x' })
  expect([error.status, error.code, error.param]).toEqual([400, 'mask_size_mismatch', 'mask'])
  expect(error.message).toContain('the image is 128x128, the mask 64x32')
})

test('rejects a mask that marks nothing', () => {
  const mask = maskOf(meadow, [0, 0, 0, 255], [0, 0, 0, 255])
  expect(failure({ picture: meadow, mask, prompt: 'x' }).code).toBe('empty_mask')
})

test('rejects a removal without a mask', () => {
  const error = failure({ picture: meadow, prompt: 'remove the cat' })
  expect([error.status, error.code, error.param]).toEqual([400, 'missing_mask', 'mask'])
})

function isInside(x: number, y: number): boolean {
  return (x - 64) * (x - 64) + (y - 60) * (y - 60) < 30 * 30
}

type Color = [number, number, number, number]

function maskOf(picture: Picture, inside: Color = [0, 0, 0, 0], outside: Color = [0, 0, 0, 255]): Picture {
  return covered(picture, inside, outside)
}

/** The picture with the marked area in a colour that nothing else has. */
function marked(picture: Picture): Picture {
  return covered(picture, [255, 0, 255, 255])
}

function covered(picture: Picture, inside: Color, outside?: Color): Picture {
  const pixels = picture.pixels.slice()
  for (let i = 0; i < pixels.length / 4; i++) {
    const color = isInside(i % picture.width, Math.floor(i / picture.width)) ? inside : outside
    if (color) pixels.set(color, i * 4)
  }
  return { ...picture, pixels }
}

function isMagenta({ r, g, b }: { r: number; g: number; b: number }): boolean {
  return r > 180 && b > 180 && g < 90
}

/** The pixels in which two pictures differ. */
function changesOf(before: Picture, after: Picture): number[] {
  const changed: number[] = []
  for (let i = 0; i < before.width * before.height; i++) {
    const [x, y] = [i % before.width, Math.floor(i / before.width)]
    const alpha = before.pixels[i * 4 + 3] !== after.pixels[i * 4 + 3]
    const [a, b] = [pixelAt(before, x, y), pixelAt(after, x, y)]
    if (alpha || a.r !== b.r || a.g !== b.g || a.b !== b.b) changed.push(i)
  }
  return changed
}

function failure(options: EditOptions): PaintError {
  try {
    editPicture(options)
  } catch (error) {
    if (error instanceof PaintError) return error
  }
  throw new Error('expected a PaintError')
}

slowTest('paints stacked things and texts only inside a region', () => {
  const pixels = new Uint8ClampedArray(128 * 128 * 4).fill(255)
  for (let y = 30; y < 110; y++) for (let x = 20; x < 100; x++) pixels[(y * 128 + x) * 4 + 3] = 0
  const mask = { width: 128, height: 128, pixels }
  for (const [prompt, understood, caption] of [
    ['a cat on a house', ['cat', 'on', 'house'], 'a cat on a house in the marked area'],
    ['the text "HELLO"', ['HELLO'], 'the text "HELLO" in the marked area'],
  ] as const) {
    const done = editPicture({ picture: meadow, mask, prompt })
    expect([done.understood, done.caption, done.unknown]).toEqual([understood, caption, []])
    const changed = shareOf(done.picture, (_, x, y) => {
      const i = (y * 128 + x) * 4
      return done.picture.pixels.subarray(i, i + 4).join() !== meadow.pixels.subarray(i, i + 4).join()
    })
    expect(changed).toBeGreaterThan(0.05)
    const outside = done.picture.pixels.filter(
      (value, i) => pixels[i - (i % 4) + 3] === 255 && value !== meadow.pixels[i],
    )
    expect(outside).toHaveLength(0)
  }
})
