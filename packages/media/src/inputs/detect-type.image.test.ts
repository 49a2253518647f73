import { expect, test } from 'vitest'
import { png } from '../../test/png.js'
import { detectImage } from './detect-type.js'

const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>')

test('the type is what the bytes are, not what was said', () => {
  expect(detectImage(png(6, 5), 'image/jpeg')).toEqual({ mediaType: 'image/png', width: 6, height: 5 })
})

test('a picture whose header is cut is still a picture, of unknown size', () => {
  expect(detectImage(png(6, 5).subarray(0, 12))).toEqual({ mediaType: 'image/png' })
})

test('a format that only its size gives away is taken: a bitmap', () => {
  const bitmap = Buffer.alloc(58)
  bitmap.write('BM')
  bitmap.writeInt32LE(3, 18)
  bitmap.writeInt32LE(2, 22)
  expect(detectImage(bitmap)).toEqual({ mediaType: 'image/bmp', width: 3, height: 2 })
})

test('SVG is an image only where it is said to be: a page may hold an icon', () => {
  expect(detectImage(svg, 'image/svg+xml')).toEqual({ mediaType: 'image/svg+xml', width: 20, height: 10 })
  expect(detectImage(svg, 'text/html')).toBeUndefined()
})

test.each(['', '{"error":"no"}', '<html><svg width="1" height="1"></svg></html>'])(
  '%j is no image',
  (text) => {
    expect(detectImage(new TextEncoder().encode(text))).toBeUndefined()
  },
)

test('a header without numbers gives no size', () => {
  const bare = Buffer.concat([Buffer.from('P6\n'.repeat(3)), Buffer.alloc(100)])
  expect(detectImage(bare)).toEqual({ mediaType: 'image/pnm' })
})
