import { pngChunk, writePng } from '@capstan/formats/write-png'
import { expect, test } from 'vitest'
import { readPng, toSixel } from './sixel.js'

interface PngParts {
  readonly type: number
  /** The bytes of each line. */
  readonly lines: readonly (readonly number[])[]
  readonly width: number
  readonly filter?: number
  readonly depth?: number
  readonly isInterlaced?: boolean
  readonly more?: readonly Buffer[]
}

const channels = [1, 0, 3, 1, 2, 0, 4]

/** Returns a PNG in which all lines have the same filter. */
function png({ type, lines, filter = 0, ...parts }: PngParts): Uint8Array {
  const step = channels[type] ?? 1
  const rows = lines.flatMap((line, row) => [
    filter,
    ...line.map((byte, at) => {
      const left = line[at - step] ?? 0
      const up = lines[row - 1]?.[at] ?? 0
      const corner = lines[row - 1]?.[at - step] ?? 0
      return (
        (byte - ([0, left, up, Math.floor((left + up) / 2), paeth(left, up, corner)][filter] as number)) & 255
      )
    }),
  ])
  return writePng({ ...parts, height: lines.length, colorType: type, rows: Buffer.from(rows) })
}

function paeth(left: number, up: number, corner: number): number {
  const distance = (one: number) => Math.abs(left + up - corner - one)
  return [left, up, corner].reduce((best, one) => (distance(one) < distance(best) ? one : best))
}

/** Returns bytes without a pattern. */
const noise = (count: number, seed: number) =>
  Array.from({ length: count }, (_, at) => (at * at * 31 + seed * 97 + at * seed) & 255)

test.each([0, 1, 2, 3, 4])('reads lines with filter %i', (filter) => {
  for (const type of [0, 2, 4, 6]) {
    const width = 5
    const lines = [1, 2, 3].map((seed) => noise(width * (channels[type] ?? 1), seed))
    const { rgba } = readPng(png({ type, lines, width, filter })) ?? {}
    const pixels = lines.flat()
    const step = channels[type] ?? 1
    const expected = Array.from({ length: 15 }, (_, at) => {
      const own = pixels.slice(at * step, at * step + step)
      const colour = step < 3 ? [own[0], own[0], own[0]] : own.slice(0, 3)
      return [...colour, step % 2 === 0 ? own.at(-1) : 255]
    })
    expect([...(rgba ?? [])], `type ${type}`).toEqual(expected.flat())
  }
})

test('reads a palette with transparency', () => {
  const palette = [pngChunk('PLTE', Buffer.from([1, 2, 3, 4, 5, 6])), pngChunk('tRNS', Buffer.from([0]))]
  const picture = readPng(png({ type: 3, lines: [[1, 0]], width: 2, more: palette }))
  expect(picture).toEqual({ width: 2, height: 1, rgba: Uint8Array.from([4, 5, 6, 255, 1, 2, 3, 0]) })
})

const good = png({ type: 2, lines: [[1, 2, 3]], width: 1 })
test.each([
  ['16 bits per channel', png({ type: 0, lines: [[1, 2]], width: 1, depth: 16 })],
  ['interlacing', png({ type: 2, lines: [[1, 2, 3]], width: 1, isInterlaced: true })],
  ['an unknown colour type', png({ type: 5, lines: [[1]], width: 1 })],
  ['no pixels', png({ type: 2, lines: [], width: 1 })],
  ['fewer lines than it says', png({ type: 2, lines: [[1, 2, 3]], width: 2 })],
  ['more pixels than are decoded', png({ type: 0, lines: [[1]], width: 2 ** 31 })],
  ['a cut', good.subarray(0, good.length - 30)],
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('no picture at all, but a text of more than forty bytes')],
])('reads no picture with %s', (_, bytes) => {
  expect(readPng(bytes)).toBeUndefined()
})

/** Decodes sixels as a terminal does: each pixel's colour in percent, or `-` for the background. */
function decode(sixels: string): string[][] {
  const [, width, height, body = ''] =
    /^P0;1q"1;1;(\d+);(\d+)(.*)\\$/.exec(sixels.replaceAll('\x1b', '')) ?? []
  const rows = Array.from({ length: Number(height) }, () => Array<string>(Number(width)).fill('-'))
  const palette = new Map<string, string>()
  let [x, y, colour] = [0, 0, '?']
  for (const token of body.match(/#\d+(;2;[\d;]+)?|(!\d+)?[?-~]|[$-]/g) ?? []) {
    const [number = '', , ...percents] = token.slice(1).split(';')
    if (token.startsWith('#') && percents.length > 0) palette.set(number, percents.join(' '))
    else if (token.startsWith('#')) colour = palette.get(number) ?? '?'
    else if (token === '$') x = 0
    else if (token === '-') [x, y] = [0, y + 6]
    else
      for (let left = Number(/\d+/.exec(token)?.[0] ?? 1); left > 0; left--, x++)
        for (let bit = 0; bit < 6; bit++)
          if ((token.charCodeAt(token.length - 1) - 63) & (1 << bit)) (rows[y + bit] ?? [])[x] = colour
  }
  return rows
}

/** An image with one colour per letter: red, green, blue, white or transparent. */
function picture(...rows: readonly string[]) {
  const colours: Record<string, number[]> = {
    r: [255, 0, 0, 255],
    g: [0, 255, 0, 255],
    b: [0, 0, 255, 255],
    w: [255, 255, 255, 255],
    ' ': [9, 9, 9, 0],
  }
  const rgba = Uint8Array.from(
    rows
      .join('')
      .split('')
      .flatMap((sign) => colours[sign] ?? []),
  )
  return { width: rows[0]?.length ?? 0, height: rows.length, rgba }
}

const names: Record<string, string> = { r: '100 0 0', g: '0 100 0', b: '0 0 100', w: '100 100 100', ' ': '-' }
const large = { width: 100, height: 100 }

test('renders every pixel in its colour, and keeps the background where it is transparent', () => {
  const rows = ['rgbw', 'wwww', 'r  r', 'bbbb', 'gggg', 'rrrr', 'wbgr', ' ggg', 'wrrr']
  expect(decode(toSixel(picture(...rows), large))).toEqual(
    rows.map((row) => row.split('').map((sign) => names[sign])),
  )
})

test('reduces a picture to the size', () => {
  const rows = Array.from({ length: 40 }, (_, row) => (row < 20 ? 'r' : 'b').repeat(20))
  const decoded = decode(toSixel(picture(...rows), { width: 100, height: 10 }))
  expect(decoded.map((row) => row.join(','))).toEqual([
    ...Array(5).fill(Array(5).fill('100 0 0').join(',')),
    ...Array(5).fill(Array(5).fill('0 0 100').join(',')),
  ])
})

test('writes only bytes that sixels have', () => {
  const rgba = Uint8Array.from(noise(64 * 64 * 4, 3))
  const sixels = toSixel({ width: 64, height: 64, rgba }, large)
  expect(sixels.slice(2, -2)).toMatch(/^[ -~]+$/)
  for (const row of decode(sixels)) for (const colour of row) expect(colour).not.toBe('?')
})
