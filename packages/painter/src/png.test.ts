import { pngChunk, writePng } from '@capstan/formats/write-png'
import { encode } from 'fast-png'
import { expect, test } from 'vitest'
import { withoutScene } from '../test/picture-facts.js'
import { PaintError } from './paint-error.js'
import { paintPrompt } from './paint-prompt.js'
import { encodePng, parsePng } from './png.js'

test('a PNG round trip keeps the image', () => {
  const picture = withoutScene(paintPrompt({ prompt: 'a cat', width: 40, height: 30 }).picture)
  expect(parsePng(encodePng(picture), 'image')).toEqual(picture)
})

test('a PNG round trip keeps transparency', () => {
  const picture = { width: 2, height: 1, pixels: Uint8ClampedArray.of(10, 20, 30, 0, 40, 50, 60, 200) }
  expect(parsePng(encodePng(picture), 'image')).toEqual(picture)
})

const black = [0, 0, 0, 255]
const white = [255, 255, 255, 255]

test.each([
  ['grey of 1 bit', { depth: 1, colorType: 0, row: [0b01000000] }, [...black, ...white]],
  ['grey of 2 bits', { depth: 2, colorType: 0, row: [0b01110000] }, [85, 85, 85, 255, ...white]],
  ['grey of 4 bits', { depth: 4, colorType: 0, row: [0x0f] }, [...black, ...white]],
  ['grey of 8 bits', { depth: 8, colorType: 0, row: [0, 128] }, [...black, 128, 128, 128, 255]],
  ['grey of 16 bits', { depth: 16, colorType: 0, row: [0, 0, 255, 255] }, [...black, ...white]],
  [
    'grey with one transparent level',
    { depth: 8, colorType: 0, row: [7, 255], tRNS: [0, 7] },
    [7, 7, 7, 0, ...white],
  ],
  ['grey with alpha', { depth: 8, colorType: 4, row: [9, 100, 255, 255] }, [9, 9, 9, 100, ...white]],
  ['colour', { depth: 8, colorType: 2, row: [1, 2, 3, 255, 255, 255] }, [1, 2, 3, 255, ...white]],
  [
    'colour of 16 bits',
    { depth: 16, colorType: 2, row: [128, 0, 0, 0, 0, 0, ...Array(6).fill(255)] },
    [128, 0, 0, 255, ...white],
  ],
  [
    'colour with one transparent colour',
    { depth: 8, colorType: 2, width: 3, row: [1, 2, 3, 1, 2, 4, 1, 2, 3], tRNS: [0, 1, 0, 2, 0, 3] },
    [1, 2, 3, 0, 1, 2, 4, 255, 1, 2, 3, 0],
  ],
  ['colour with alpha', { depth: 8, colorType: 6, row: [1, 2, 3, 4, 5, 6, 7, 8] }, [1, 2, 3, 4, 5, 6, 7, 8]],
  [
    'a palette of 1 bit',
    { depth: 1, colorType: 3, row: [0b10000000], PLTE: [1, 2, 3, 4, 5, 6] },
    [4, 5, 6, 255, 1, 2, 3, 255],
  ],
  [
    'a palette of 4 bits with transparency',
    { depth: 4, colorType: 3, row: [0x10], PLTE: [1, 2, 3, 4, 5, 6], tRNS: [0] },
    [4, 5, 6, 255, 1, 2, 3, 0],
  ],
  [
    'a palette of 8 bits',
    { depth: 8, colorType: 3, row: [1, 0], PLTE: [1, 2, 3, 4, 5, 6] },
    [4, 5, 6, 255, 1, 2, 3, 255],
  ],
])('reads %s', (_, png, pixels) => {
  expect([...parsePng(rawPng(png), 'image').pixels]).toEqual(pixels)
})

test('reads an interlaced image', () => {
  const data = Uint8Array.from({ length: 9 * 7 * 4 }, (_, i) => (i * 37) % 256)
  const png = encode({ width: 9, height: 7, channels: 4, depth: 8, data }, { interlace: 'Adam7' })
  expect([...parsePng(png, 'image').pixels]).toEqual([...data])
})

test.each([
  ['no PNG', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0), 'does not start like a PNG'],
  [
    'a PNG without its header',
    rawPng({ depth: 8, colorType: 0, row: [0, 0] }).subarray(0, 20),
    'header is missing',
  ],
  ['a PNG that is cut off', rawPng({ depth: 8, colorType: 0, row: [0, 0] }).subarray(0, 50), 'it is cut off'],
  [
    'a PNG with too few pixels',
    rawPng({ depth: 8, colorType: 6, row: [0, 0] }),
    'some of its pixels are missing',
  ],
  [
    'a PNG whose data is no data',
    rawPng({ depth: 8, colorType: 0, row: [0, 0], packed: [1, 2, 3] }),
    'cannot be unpacked',
  ],
  [
    'a PNG larger than the limit',
    rawPng({ depth: 8, colorType: 0, row: [0, 0], width: 60_000, height: 60_000 }),
    'the limit is 4096x4096',
  ],
  [
    'a PNG with more data than it says',
    rawPng({ depth: 8, colorType: 0, row: Array(50_000).fill(0) }),
    'more data than its size',
  ],
  [
    'interlacing of few bits',
    rawPng({ depth: 4, colorType: 0, row: [0], isInterlaced: true }),
    'save it without interlacing',
  ],
  [
    'a palette number that is not there',
    rawPng({ depth: 8, colorType: 3, row: [9, 9], PLTE: [1, 2, 3] }),
    'is damaged',
  ],
])('rejects %s with 400 and a reason', (_, bytes, reason) => {
  const error = failure(bytes)
  expect([error.status, error.code, error.param]).toEqual([400, 'invalid_image', 'mask'])
  expect(error.message).toContain(reason)
})

test('ignores a damaged text or colour profile', () => {
  const png = rawPng({ depth: 8, colorType: 0, row: [0, 255], iCCP: [0x61, 0, 0, 1, 2, 3] })
  expect([...parsePng(png, 'image').pixels]).toEqual([...black, ...white])
})

function failure(bytes: Uint8Array): PaintError {
  try {
    parsePng(bytes, 'mask')
  } catch (error) {
    if (error instanceof PaintError) return error
  }
  throw new Error('expected a PaintError')
}

interface Raw {
  depth: number
  colorType: number
  /** The bytes of the only row, two pixels wide when `width` does not say otherwise. */
  row: number[]
  PLTE?: number[]
  tRNS?: number[]
  iCCP?: number[]
  packed?: number[]
  width?: number
  height?: number
  isInterlaced?: boolean
}

/** A PNG made by hand, of kinds no encoder here writes. */
function rawPng({ row, width = 2, height = 1, packed, PLTE, tRNS, iCCP, ...header }: Raw): Uint8Array {
  const more = Object.entries({ iCCP, PLTE, tRNS }).flatMap(([type, body]) =>
    body ? [pngChunk(type, Buffer.from(body))] : [],
  )
  const pixels = packed ? { packed: Buffer.from(packed) } : { rows: Uint8Array.of(0, ...row) }
  return writePng({ ...header, width, height, more, ...pixels })
}
