import { expect, test } from 'vitest'
import { brightness, correlation, withoutScene } from '../../test/picture-facts.js'
import { editPicture } from '../edit-picture.js'
import { paintPrompt } from '../paint-prompt.js'
import type { Picture } from '../picture.js'
import { styles } from '../prompt/words.js'
import { resizePicture } from '../resize-picture.js'

const painted = new Map<string, Picture>()
const plain = withoutScene(paint('a red sailboat'))

function paint(prompt: string): Picture {
  const picture = painted.get(prompt) ?? paintPrompt({ prompt, width: 128, height: 128 }).picture
  painted.set(prompt, picture)
  return picture
}

function difference(a: Picture, b: Picture): number {
  return a.pixels.reduce((sum, value, i) => sum + Math.abs(value - (b.pixels[i] ?? 0)), 0) / a.pixels.length
}

/** Light and dark without what is small: strokes, dots and outlines. */
function coarse(picture: Picture): number[] {
  return brightness(resizePicture(picture, { width: 12, height: 12 }), 12)
}

const phrases = Object.values(styles).map((list) => list.split(', ')[0] ?? '')

test.each(phrases)('%s is understood, captioned and unlike all others', (phrase) => {
  const { understood, unknown, caption } = paintPrompt({
    prompt: `${phrase} of a cat`,
    width: 32,
    height: 32,
  })
  expect([understood, unknown]).toEqual([[phrase, 'cat'], []])
  expect(caption.length).toBeGreaterThan('a cat'.length)
  const own = paint(`a red sailboat, ${phrase}`)
  for (const other of phrases) {
    if (other !== phrase) expect(difference(own, paint(`a red sailboat, ${other}`)), other).toBeGreaterThan(4)
  }
})

test('a style keeps its subject in place', () => {
  for (const phrase of [
    'a watercolour of',
    'an oil painting of',
    'a cartoon of',
    'a mosaic of',
    'pixel art of',
  ]) {
    expect(correlation(coarse(paint(`${phrase} a red sailboat`)), coarse(plain)), phrase).toBeGreaterThan(0.6)
  }
})

test('pixel art has few colours, a line drawing has two', () => {
  const colors = (picture: Picture): number => {
    const seen = new Set<string>()
    for (let i = 0; i < picture.pixels.length; i += 4) seen.add(picture.pixels.subarray(i, i + 3).join())
    return seen.size
  }
  expect(colors(paint('pixel art of a red sailboat'))).toBeLessThan(colors(plain) / 4)
  const drawing = paint('line drawing of a red sailboat')
  const grey = drawing.pixels.filter(
    (_, i) => i % 4 === 0 && Math.abs((drawing.pixels[i] ?? 0) - (drawing.pixels[i + 2] ?? 0)) > 30,
  )
  expect(grey).toHaveLength(0)
})

test('an edit can apply a style', () => {
  const { picture, understood, caption } = editPicture({
    picture: plain,
    prompt: 'turn it into a watercolour',
  })
  expect([understood, caption]).toEqual([['watercolour'], 'the picture in watercolour'])
  expect(difference(picture, plain)).toBeGreaterThan(4)
  expect(correlation(coarse(picture), coarse(plain))).toBeGreaterThan(0.6)
})
