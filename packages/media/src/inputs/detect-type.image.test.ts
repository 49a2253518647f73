import { expect, test } from 'vitest'
import { png } from '../../test/png.js'
import { detectImage } from './detect-type.js'

const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>')

test('detects the type by the bytes, not by the declared type', () => {
  expect(detectImage(png(6, 5), 'image/jpeg')).toEqual({ mediaType: 'image/png', width: 6, height: 5 })
})

test('accepts an image with a cut header, without a size', () => {
  expect(detectImage(png(6, 5).subarray(0, 12))).toEqual({ mediaType: 'image/png' })
})

test('accepts a format that only its size reveals: a bitmap', () => {
  const bitmap = Buffer.alloc(58)
  bitmap.write('BM')
  bitmap.writeInt32LE(3, 18)
  bitmap.writeInt32LE(2, 22)
  expect(detectImage(bitmap)).toEqual({ mediaType: 'image/bmp', width: 3, height: 2 })
})

test('accepts SVG only if declared, since a page may contain an icon', () => {
  expect(detectImage(svg, 'image/svg+xml')).toEqual({ mediaType: 'image/svg+xml', width: 20, height: 10 })
  expect(detectImage(svg, 'text/html')).toBeUndefined()
})

test.each(['', '{"error":"no"}', '<html><svg width="1" height="1"></svg></html>'])(
  'rejects %j as an image',
  (text) => {
    expect(detectImage(new TextEncoder().encode(text))).toBeUndefined()
  },
)

test('returns no size for a header without numbers', () => {
  const bare = Buffer.concat([Buffer.from('P6\n'.repeat(3)), Buffer.alloc(100)])
  expect(detectImage(bare)).toEqual({ mediaType: 'image/pnm' })
})
