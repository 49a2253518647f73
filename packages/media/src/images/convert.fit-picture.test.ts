import sharp from 'sharp'
import { expect, test } from 'vitest'
import { fitPicture } from './convert.js'

async function noisy(width: number, height: number): Promise<Uint8Array> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width, height, channels: 3, background: 'black', noise } })
  return new Uint8Array(await image.png().toBuffer())
}

test('scales an image to the given pixels and bytes', async () => {
  const picture = await noisy(600, 300)
  const bytes = await fitPicture(picture, { maxBytes: 8000, maxPixels: 20_000 })
  const { format, width, height } = await sharp(bytes).metadata()
  expect(format).toBe('jpeg')
  expect(width * height).toBeLessThanOrEqual(20_000)
  expect(bytes.byteLength).toBeLessThanOrEqual(8000)
  expect(Math.abs(width / height - 2)).toBeLessThan(0.1)
})

test('keeps the size of a small image', async () => {
  const bytes = await fitPicture(await noisy(40, 30), { maxBytes: 1e6, maxPixels: 1e6 })
  expect(await sharp(bytes).metadata()).toMatchObject({ width: 40, height: 30 })
})

test('throws if the image cannot be made to fit', async () => {
  const fitting = fitPicture(await noisy(20, 20), { maxBytes: 10, maxPixels: 1e6 })
  await expect(fitting).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('20x20'),
  })
})
