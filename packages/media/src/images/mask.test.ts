import { decode, encode } from 'fast-png'
import { expect, test } from 'vitest'
import { readMask, scaleMask, toMaskPng } from './mask.js'
import { readPng } from './png.js'

const size = { width: 2, height: 1 }
const read = async (png: Uint8Array) => {
  const pixels = await readPng(png, size)
  if (!pixels) throw new Error('not read')
  return readMask(pixels)
}

test('marks transparent pixels of any colour', async () => {
  const png = encode({ ...size, channels: 4, data: Uint8Array.of(255, 0, 0, 0, 0, 0, 0, 255) })
  expect(await read(png)).toEqual({ by: 'alpha', mask: { ...size, marked: Uint8Array.of(255, 0) } })
})

test.each([
  ['grey', encode({ ...size, channels: 1, data: Uint8Array.of(255, 0) })],
  ['grey of 16 bits', encode({ ...size, depth: 16, channels: 1, data: Uint16Array.of(65_535, 0) })],
  ['colour', encode({ ...size, channels: 3, data: Uint8Array.of(255, 255, 255, 0, 0, 0) })],
  ['opaque alpha', encode({ ...size, channels: 4, data: Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 255) })],
  ['one bit', encode({ ...size, depth: 1, channels: 1, data: Uint8Array.of(0b1000_0000) })],
])('marks the white pixels of a mask of %s without transparency', async (_, png) => {
  expect(await read(png)).toEqual({ by: 'white', mask: { ...size, marked: Uint8Array.of(255, 0) } })
})

test('reads a palette with transparency', async () => {
  const palette = [
    [9, 9, 9, 0],
    [9, 9, 9, 255],
  ] as unknown as number[][]
  const png = encode({ ...size, depth: 8, channels: 1, palette: palette as never, data: Uint8Array.of(0, 1) })
  expect(await read(png)).toEqual({ by: 'alpha', mask: { ...size, marked: Uint8Array.of(255, 0) } })
})

test('reads both encodings of a mask back', async () => {
  const mask = { ...size, marked: Uint8Array.of(0, 255) }
  for (const by of ['alpha', 'white'] as const)
    expect(await read(await toMaskPng(mask, by))).toEqual({ by, mask })
  expect(decode(await toMaskPng(mask, 'alpha')).channels).toBe(4)
})

test('marks the same area after scaling', () => {
  const mask = { width: 2, height: 2, marked: Uint8Array.of(255, 0, 0, 0) }
  const { marked } = scaleMask(mask, { width: 4, height: 4 })
  expect([...marked].map(Math.sign).join('')).toBe('1100110000000000')
  expect(scaleMask({ width: 4, height: 4, marked }, { width: 2, height: 2 })).toEqual(mask)
})
