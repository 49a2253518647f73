import { expect, test } from 'vitest'
import { blankCanvas, type Canvas, wholeOf } from '../canvas.js'
import { toPenLine, unwritable } from './pen-strokes.js'
import { writeText } from './write-text.js'

const white = { color: { r: 1, g: 1, b: 1 }, rim: false }

function written(text: string, width = 200, height = 80): Canvas {
  const canvas = blankCanvas(width, height)
  writeText(canvas, text, wholeOf(canvas), white)
  return canvas
}

function inked({ data }: Canvas): number {
  return data.filter((value) => value > 0.5).length
}

test('writes Basic Latin and the letters of Latin-1, no two alike', () => {
  const ascii = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter(
    (c) => !'^`{}~'.includes(c),
  )
  const latin = [...'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåçèéêëìíîïñòóôõöøùúûüýÿ¿¡£€°ŁłŻżŠšŽžĄą']
  const seen = new Set([...ascii, ...latin].map((char) => JSON.stringify(toPenLine(char).pieces)))
  expect(unwritable([...ascii, ...latin].join(''))).toEqual([])
  expect(seen.size).toBe(ascii.length + latin.length)
})

test('reports unsupported characters and writes the rest', () => {
  expect(unwritable('猫 cat')).toEqual(['猫'])
  expect(written('猫 cat').data).toEqual(written('cat').data)
})

test('writes a text inside its area, larger with more room', () => {
  const [small, large] = [written('Hello', 100, 40), written('Hello', 200, 80)]
  expect(inked(large)).toBeGreaterThan(3 * inked(small))
  const canvas = blankCanvas(100, 100)
  writeText(canvas, 'Hello', { left: 20, right: 80, top: 30, bottom: 60 }, white)
  const outside = canvas.data.filter((value, i) => {
    const [x, y] = [Math.floor(i / 3) % 100, Math.floor(i / 300)]
    return value > 0 && (x < 19 || x > 80 || y < 29 || y > 60)
  })
  expect(outside).toHaveLength(0)
})

test('breaks a long text into lines, at any length and size', () => {
  expect(inked(written('one two three four five six seven', 80, 80))).toBeGreaterThan(200)
  for (const text of ['', ' ', 'x'.repeat(400), 'a '.repeat(300)]) written(text, 16, 16)
})

test('letters with accents differ from those without, above and below', () => {
  const pieces = (text: string): number => toPenLine(text).pieces.length
  expect(pieces('é')).toBe(pieces('e') + 1)
  expect(pieces('ç')).toBeGreaterThan(pieces('c'))
  // The dot gives way to the accent.
  expect(pieces('í')).toBe(pieces('i'))
})
