import { expect, test } from 'vitest'
import { cases, isLong } from '../../../scripts/cases.mjs'
import { slowTest } from '../../../scripts/slow-test.mjs'
import {
  brightness,
  contrast,
  correlation,
  isBlue,
  isRed,
  patchesOf,
  shareOf,
} from '../test/picture-facts.js'
import { nouns } from './nouns/nouns.js'
import { paintPrompt } from './paint-prompt.js'
import type { Picture } from './picture.js'
import { encodePng } from './png.js'

function paint(prompt: string, index = 0, size = 192): Picture {
  return paintPrompt({ prompt, width: size, height: size, index }).picture
}

function hasRequestedSize(width: number, height: number): void {
  const { picture } = paintPrompt({
    prompt: 'a cat on a house and three birds by the sea in the rain, "Hello", watercolour',
    width,
    height,
  })
  expect([picture.width, picture.height, picture.pixels.length]).toEqual([width, height, width * height * 4])
}

const narrow = [
  [300, 20],
  [16, 16],
  [64, 64],
  [16, 256],
  [2048, 16],
  [16, 2048],
] as const

test.each(narrow.slice(0, 1))('a painting of %ix%i has the requested size', hasRequestedSize)
slowTest.each(narrow.slice(1))('a painting of %ix%i has the requested size', hasRequestedSize)

test('a room that is named alone has its furniture, and one with things does not', () => {
  const captionOf = (prompt: string) => paintPrompt({ prompt, width: 16, height: 16 }).caption
  expect(captionOf('a library')).toBe('two shelves and a chair in a room')
  expect(captionOf('a kitchen at night')).toBe('a fridge and a stove in a room at night')
  expect(captionOf('a cat in a kitchen')).toBe('a cat in a room')
  expect(captionOf('a quagga in a kitchen')).toBe('a landscape in a room (not understood: quagga)')
})

test('no painting is blank in any place, time or weather', () => {
  const places = [
    'meadow',
    'sea',
    'beach',
    'winter',
    'desert',
    'city',
    'forest',
    'mountains',
    'space',
    'on the moon',
    'underwater',
    'in the sky',
    'kitchen',
    'plain background',
  ]
  for (const prompt of [
    ...places,
    'dawn',
    'sunset',
    'night',
    'rain',
    'snow',
    'fog',
    'storm',
    'wind',
    'qwerty',
  ]) {
    expect(contrast(paint(prompt, 0, cases(192, 64))), prompt).toBeGreaterThan(8)
  }
})

slowTest('the same prompt gives the same bytes', () => {
  const bytes = [1, 2].map(() => encodePng(paint('a red sailboat at sunset')))
  expect(bytes[0]).toEqual(bytes[1])
})

test('another index gives another arrangement', () => {
  const [first, second] = [paint('a house and a tree', 0), paint('a house and a tree', 1)]
  expect(
    shareOf(first, (_, x, y) => first.pixels[(y * 192 + x) * 4] !== second.pixels[(y * 192 + x) * 4]),
  ).toBeGreaterThan(0.3)
})

test('different prompts give different images', () => {
  const grids = ['a cat', 'a city at night', 'a sailboat at sunset', 'snow in the forest', 'qwerty'].map(
    (prompt) => brightness(paint(prompt, 0, cases(192, 96))),
  )
  for (const [i, a] of grids.entries()) {
    for (const b of grids.slice(i + 1)) expect(correlation(a, b)).toBeLessThan(0.9)
  }
})

test('a thing has the requested colour', () => {
  for (const setting of ['', ' at sunset', ' at night', ' in the rain']) {
    expect(shareOf(paint(`a red sailboat${setting}`), isRed), setting).toBeGreaterThan(0.02)
  }
  expect(shareOf(paint('a green sailboat'), isRed)).toBe(0)
  expect(shareOf(paint('a blue car'), isBlue)).toBeGreaterThan(0.02)
})

function paintsRequestedNumber(index: number): void {
  expect(patchesOf(paint('three red balloons', index), isRed, 40)).toBe(3)
  expect(patchesOf(paint('five blue balloons', index), isBlue, 40)).toBe(5)
  expect(patchesOf(paint('two red apples on a table', index), isRed, 40)).toBe(2)
}

test('paints the requested number of things', () => paintsRequestedNumber(0))
slowTest.each([1, 2])('paints the requested number of things at index %i', paintsRequestedNumber)

test('left is left and right is right', () => {
  const half = (picture: Picture, side: 'left' | 'right'): number =>
    shareOf(picture, (pixel, x) => isRed(pixel) && x < picture.width / 2 === (side === 'left'))
  for (const side of ['left', 'right'] as const) {
    const picture = paint(`a red apple on the ${side}`)
    expect(half(picture, side)).toBeGreaterThan(3 * half(picture, side === 'left' ? 'right' : 'left'))
  }
})

test('night is darker than day', () => {
  const mean = (prompt: string): number =>
    brightness(paint(prompt)).reduce((sum, level) => sum + level / 256, 0)
  expect(mean('a house at night')).toBeLessThan(0.65 * mean('a house'))
})

test('paints each noun in its own colour and names it in the caption', () => {
  for (const { words } of nouns.filter((_, at) => isLong || at % 3 === 0)) {
    const { caption, understood } = paintPrompt({ prompt: `a ${words[0]}`, width: 32, height: 32 })
    expect(caption).toMatch(new RegExp(`^(a|an|the) ${words[0]}\\b`))
    expect(understood).toEqual([words[0]])
  }
})

test('an unknown prompt gives its own abstract colours and reports no words', () => {
  const { picture, understood, caption } = paintPrompt({ prompt: 'xyzzy plugh', width: 96, height: 96 })
  expect([understood, caption]).toEqual([[], 'abstract: no known words (not understood: xyzzy, plugh)'])
  expect(picture.pixels).not.toEqual(
    paintPrompt({ prompt: 'frobnicate', width: 96, height: 96 }).picture.pixels,
  )
})

test('a colour alone leads the abstract colours', () => {
  const { picture, understood, caption } = paintPrompt({ prompt: 'red', width: 96, height: 96 })
  expect([understood, caption]).toEqual([['red'], 'abstract: red colours'])
  expect(shareOf(picture, ({ r, g, b }) => r > g && r > b)).toBeGreaterThan(0.9)
})

test('a prompt for hundreds of things paints as many as fit', () => {
  const { caption } = paintPrompt({ prompt: 'twelve cats '.repeat(300), width: 48, height: 48 })
  expect(caption).toContain('twelve cats')
})

test('writes a text in free space or on the sign', () => {
  const [blank, sign] = ['a sign', 'a sign "HELLO"'].map((prompt) => paint(prompt))
  const changed = shareOf(sign ?? paint(''), (_, x, y) => {
    const i = (y * 192 + x) * 4
    return sign?.pixels[i] !== blank?.pixels[i]
  })
  expect(changed).toBeGreaterThan(0)
  const { understood, unknown } = paintPrompt({ prompt: 'the words "HI 猫" in red', width: 64, height: 64 })
  expect([understood, unknown]).toEqual([['HI 猫', 'red'], ['猫']])
  expect(shareOf(paint('the word "HELLO" in red at night'), isRed)).toBeGreaterThan(0.01)
})
