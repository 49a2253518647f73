import { type ArtifactStore, memoryArtifacts } from '@capstan/core'
import { decode } from 'fast-png'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { base64, bytesOf } from '../../test/artifacts.js'
import { startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { fromBytes } from '../inputs/stored-bytes.js'
import { editImage } from '../tools/edit-image.js'
import { fitImage, loadSharp } from './convert.js'

const artifacts = memoryArtifacts()
const put = async (bytes: Uint8Array, mediaType = 'image/png', store: ArtifactStore = artifacts) => ({
  artifact: await store.put(bytes, { kind: 'image', mediaType }),
  ...fromBytes(bytes),
})
const fitting = { field: 'image', convert: true, store: artifacts }
/** Pixels that compress badly. */
const noise = async (width: number, height: number, format: 'png' | 'jpeg' | 'tiff') => {
  const pixels = Buffer.from(crypto.getRandomValues(new Uint8Array(width * height * 3)))
  return new Uint8Array(
    await sharp(pixels, { raw: { width, height, channels: 3 } })
      .toFormat(format)
      .toBuffer(),
  )
}

test('keeps an accepted image unchanged', async () => {
  const loaded = await put(png(20, 10))
  const fit = await fitImage(loaded, { ...fitting, limits: { types: ['image/png'], bytes: 9999, side: 20 } })
  expect(fit).toEqual({ ...loaded, width: 20, height: 10, originalSize: { width: 20, height: 10 } })
})

test('converts another type to an accepted one', async () => {
  const loaded = await put(await noise(20, 10, 'tiff'), 'image/tiff')
  for (const type of ['image/png', 'image/webp', 'image/jpeg']) {
    const { artifact } = await fitImage(loaded, { ...fitting, limits: { types: [type] } })
    expect(artifact).toMatchObject({ mediaType: type, width: 20, height: 10, parents: [loaded.artifact.id] })
  }
})

test('scales down a long image and keeps its proportions', async () => {
  const fit = await fitImage(await put(png(40, 20)), { ...fitting, limits: { side: 10 } })
  expect(fit).toMatchObject({ width: 10, height: 5, originalSize: { width: 40, height: 20 } })
  expect(decode(await bytesOf(artifacts, fit.artifact))).toMatchObject({ width: 10, height: 5 })
})

test('scales down until the bytes fit', async () => {
  const loaded = await put(await noise(100, 100, 'png'))
  const fit = await fitImage(loaded, { ...fitting, limits: { bytes: 5000 } })
  expect(fit.blob.size).toBeLessThanOrEqual(5000)
  expect(fit.width).toBeGreaterThan(20)
})

test('rotates a photo by its orientation', async () => {
  const lying = await sharp(await noise(20, 10, 'jpeg'))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const fit = await fitImage(await put(new Uint8Array(lying)), {
    ...fitting,
    limits: { types: ['image/png'] },
  })
  expect(fit).toMatchObject({ width: 10, height: 20 })
})

test('says what to do without convert, or without the package', async () => {
  const loaded = await put(png(40, 20))
  const limits = { side: 10 }
  await expect(fitImage(loaded, { ...fitting, convert: false, limits })).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: `"image" ${loaded.artifact.id} has a side of 40 pixels, but the server accepts at most 10. Use another image.`,
  })
  const missing = () => Promise.reject(new Error("Cannot find package 'sharp'"))
  await expect(loadSharp('"image" is image/tiff.', missing)).rejects.toMatchObject({
    code: 'unsupported',
    message: '"image" is image/tiff. The package "sharp" is not installed.',
  })
})

test('throws if the image cannot be decoded', async () => {
  const loaded = await put((await noise(20, 10, 'tiff')).subarray(0, 300), 'image/tiff')
  const asked = fitImage(loaded, { ...fitting, limits: { types: ['image/png'] } })
  await expect(asked).rejects.toMatchObject({ code: 'invalid_arguments' })
})

test('scales the mask with its image', async () => {
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(png(4, 4)) }] } }))
  const edit = editImage({ client: server.client, convert: true, dialect: { takes: { side: 10 } } })
  await edit.call({ image: png(40, 20), mask: png(40, 20, [255, 255, 255]), prompt: 'a hat' })
  const { image, mask } = server.arrived[0]?.files ?? {}
  for (const file of [image, mask])
    expect(decode(file?.bytes ?? new Uint8Array())).toMatchObject({ width: 10, height: 5 })
})

test('converts a mask of another type', async () => {
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(png(4, 4)) }] } }))
  const mask = await sharp(Buffer.from(png(40, 20, [255, 255, 255])))
    .jpeg()
    .toBuffer()
  const edit = editImage({ client: server.client, convert: true })
  const { note } = await edit.call({ image: png(40, 20), mask, prompt: 'a hat' })
  expect(note).toMatch(/^The white part of the mask/)
  expect(decode(server.arrived[0]?.files.mask?.bytes ?? new Uint8Array()).channels).toBe(4)
})
