import { expect, test } from 'vitest'
import { cases } from '../../../scripts/cases.mjs'
import { brightness, correlation } from '../test/picture-facts.js'
import { PaintError } from './paint-error.js'
import { paintPrompt } from './paint-prompt.js'
import { kindOf, type Picture, type PictureKind } from './picture.js'
import { readPicture, writePicture } from './picture-files.js'
import { seededRandom } from './random.js'

const { picture } = paintPrompt({ prompt: 'a red sailboat at sunset', width: 96, height: 64 })
const kinds: readonly PictureKind[] = ['png', 'jpeg', 'webp']
const files = Object.fromEntries(
  await Promise.all(kinds.map(async (kind) => [kind, await writePicture(picture, { kind })] as const)),
)

test.each(kinds)('reads an image from %s by its content', async (kind) => {
  expect(kindOf(fileOf(kind))).toEqual({ kind })
  const back = await readPicture(fileOf(kind), 'image')
  expect([back.width, back.height]).toEqual([96, 64])
  expect(correlation(brightness(back), brightness(picture))).toBeGreaterThan(0.99)
})

test.each(kinds)('the same pixels give the same bytes of %s', async (kind) => {
  expect(await writePicture(picture, { kind })).toEqual(fileOf(kind))
})

test.each(['jpeg', 'webp'] as const)('lower quality makes a smaller %s', async (kind) => {
  const sizes = await Promise.all(
    [0, 40, 95].map(async (quality) => (await writePicture(picture, { kind, quality })).length),
  )
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  expect(new Set(sizes).size).toBe(3)
})

test('a WebP keeps transparency, and with quality 100 every byte', async () => {
  const clear = {
    ...picture,
    pixels: picture.pixels.map((value, i) => (i % 4 === 3 && i < 9000 ? 80 : value)),
  }
  const soft = await readPicture(await writePicture(clear, { kind: 'webp', quality: 60 }), 'image')
  expect(soft.pixels.filter((_, i) => i % 4 === 3)).toEqual(clear.pixels.filter((_, i) => i % 4 === 3))
  expect(await readPicture(await writePicture(clear, { kind: 'webp', quality: 100 }), 'image')).toEqual(clear)
})

test('transparent pixels become white in a JPEG', async () => {
  const clear = { width: 16, height: 16, pixels: new Uint8ClampedArray(16 * 16 * 4) }
  const { pixels } = await readPicture(await writePicture(clear, { kind: 'jpeg' }), 'image')
  expect(pixels.every((value) => value > 250)).toBe(true)
})

test('applies the EXIF orientation of a JPEG', async () => {
  const upright = await readPicture(turned(fileOf('jpeg'), 1), 'image')
  expect(upright).toEqual(await readPicture(fileOf('jpeg'), 'image'))
  const quarter = await readPicture(turned(fileOf('jpeg'), 6), 'image')
  expect([quarter.width, quarter.height]).toEqual([64, 96])
  // What was the left edge is the top one, from right to left.
  expect(rowOf(quarter, 0)).toEqual(columnOf(upright, 0).toReversed())
})

test('no codec leaves a global', async () => {
  for (const kind of kinds) await readPicture(fileOf(kind), 'image')
  expect('ImageData' in globalThis).toBe(false)
})

test.each([
  ['a GIF', 'GIF89a', 'a GIF'],
  ['an AVIF', '\0\0\0\x20ftypavif\0\0', 'an AVIF'],
  ['a HEIC', '\0\0\0\x20ftypheic\0\0', 'a HEIC'],
  ['a BMP', 'BM\x46\0', 'a BMP'],
  ['a TIFF', 'II*\0\x08\0', 'a TIFF'],
  ['an SVG', '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'an SVG'],
  ['HTML', '<!doctype html>', 'text (XML or HTML)'],
  ['text', 'hello', 'text'],
  ['nothing', '', 'an empty file'],
  ['other bytes', '\x01\0\x02', 'of another kind'],
])('rejects %s with 400 and lists the supported formats', async (_, text, name) => {
  const error = await failure(Buffer.from(text, 'latin1'))
  expect([error.status, error.code, error.param]).toEqual([400, 'invalid_image', 'mask'])
  expect(error.message).toBe(`"mask" must be a PNG, JPEG or WebP; it is ${name}.`)
})

test.each([
  [
    'a JPEG of 65535x65535',
    () => withBytes(fileOf('jpeg'), { at: frameOf(fileOf('jpeg')) + 5, bytes: [255, 255, 255, 255] }),
  ],
  [
    'a lossless WebP of 16384x16384',
    () => Buffer.from(`RIFF\x20\0\0\0WEBPVP8L\x14\0\0\0\x2f\xff\xff\xff\x0f${'\0'.repeat(20)}`, 'latin1'),
  ],
  [
    'a WebP whose canvas is 16777216x16777216',
    () =>
      Buffer.from(`RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0${'\xff'.repeat(6)}${'\0'.repeat(10)}`, 'latin1'),
  ],
])('rejects %s by its header alone', async (_, file) => {
  expect((await failure(file())).message).toContain('the limit is 4096x4096')
})

test('rejects a JPEG with thousands of scans', async () => {
  const file = fileOf('jpeg')
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0]
  const many = Buffer.concat([
    file.subarray(0, -2),
    Buffer.from(Array(2000).fill(scan).flat()),
    file.subarray(-2),
  ])
  expect((await failure(many)).message).toContain('more than 100 scans')
})

test('rejects an animated WebP', async () => {
  const file = Buffer.from(
    `RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0${'\x0f\0\0'.repeat(2)}${'\0'.repeat(10)}`,
    'latin1',
  )
  expect((await failure(file)).message).toContain('it is animated')
})

test.each(kinds)('rejects a %s truncated anywhere with 400', async (kind) => {
  const file = fileOf(kind)
  const steps = cases(40, 10)
  for (let step = 0; step < steps; step++) {
    const cut = file.subarray(0, Math.floor((file.length * step) / steps))
    expect((await failure(cut)).code, `${cut.length} bytes`).toBe('invalid_image')
  }
})

test.each(kinds)('reads or rejects a %s with flipped bytes, and reads the next one', async (kind) => {
  const file = fileOf(kind)
  const random = seededRandom(7)
  const before = await readPicture(file, 'image')
  for (let tried = 0; tried < cases(60, 8); tried++) {
    const damaged = Buffer.from(file)
    // Most of the harm is done in the header.
    const reach = tried % 2 ? file.length : Math.min(700, file.length)
    for (let i = 0; i <= tried % 4; i++) damaged[Math.floor(random() * reach)] = Math.floor(random() * 256)
    const outcome = await readPicture(damaged, 'mask').catch((error: unknown) => error)
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PaintError)
    else expect(outcome).toHaveProperty('pixels')
  }
  expect(await readPicture(file, 'image')).toEqual(before)
})

function fileOf(kind: PictureKind): Uint8Array {
  return files[kind] ?? new Uint8Array()
}

async function failure(bytes: Uint8Array): Promise<PaintError> {
  const outcome = await readPicture(bytes, 'mask').catch((error: unknown) => error)
  if (outcome instanceof PaintError) return outcome
  throw new Error('expected a PaintError', { cause: outcome })
}

/** A JPEG with an EXIF segment that holds nothing but the orientation. */
function turned(file: Uint8Array, orientation: number): Uint8Array {
  const tiff = [
    0x4d,
    0x4d,
    0,
    42,
    0,
    0,
    0,
    8,
    0,
    1,
    0x01,
    0x12,
    0,
    3,
    0,
    0,
    0,
    1,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
  ]
  const segment = [0xff, 0xe1, 0, 2 + 6 + tiff.length, ...Buffer.from('Exif\0\0', 'latin1'), ...tiff]
  return Buffer.concat([file.subarray(0, 2), Buffer.from(segment), file.subarray(2)])
}

/** Where the start of frame of a JPEG begins. */
function frameOf(file: Uint8Array): number {
  return file.findIndex((byte, i) => byte === 0xff && [0xc0, 0xc1, 0xc2].includes(file[i + 1] ?? 0))
}

function withBytes(file: Uint8Array, { at, bytes }: { at: number; bytes: readonly number[] }): Uint8Array {
  const changed = Uint8Array.from(file)
  changed.set(bytes, at)
  return changed
}

function rowOf({ width, pixels }: Picture, y: number): number[] {
  return Array.from({ length: width }, (_, x) => pixels[(y * width + x) * 4] ?? 0)
}

function columnOf({ width, height, pixels }: Picture, x: number): number[] {
  return Array.from({ length: height }, (_, y) => pixels[(y * width + x) * 4] ?? 0)
}
