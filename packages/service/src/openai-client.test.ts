import { parsePng } from '@capstan/painter'
import { encode } from 'fast-png'
import { toFile } from 'openai'
import { expect, test } from 'vitest'
import { localService } from '../test/local-service.js'

const { client } = localService()

const size = '256x256'

function sizeOf(png: Uint8Array): [string, number, number] {
  const view = Buffer.from(png)
  return [view.toString('latin1', 1, 4), view.readUInt32BE(16), view.readUInt32BE(20)]
}

function pixelsOf(png: Uint8Array): Buffer {
  return Buffer.from(parsePng(png, 'image').pixels)
}

async function draw(): Promise<Uint8Array> {
  const { data } = await client.images.generate({ model: 'gpt-image-1', prompt: 'a red sailboat', size })
  return Buffer.from(data?.[0]?.b64_json ?? '', 'base64')
}

test('returns an image as bytes', async () => {
  expect(sizeOf(await draw())).toEqual(['PNG', 256, 256])
})

test('returns an image as a link without a key', async () => {
  const asked = { model: 'dall-e-2', prompt: 'a red sailboat', size, n: 2, response_format: 'url' } as const
  const { data } = await client.images.generate(asked)
  const urls = (data ?? []).map(({ url }) => url ?? '')
  expect(new Set(urls).size).toBe(2)
  for (const url of urls) {
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(sizeOf(new Uint8Array(await response.arrayBuffer()))).toEqual(['PNG', 256, 256])
  }
})

test('edits and varies an image', async () => {
  const image = await toFile(await draw(), 'boat.png', { type: 'image/png' })
  const edited = await client.images.edit({ model: 'gpt-image-1', image, prompt: 'add a red balloon', size })
  const varied = await client.images.createVariation({
    model: 'dall-e-2',
    image,
    n: 2,
    size,
    response_format: 'b64_json',
  })
  const pictures = [...(edited.data ?? []), ...(varied.data ?? [])].map(({ b64_json }) =>
    Buffer.from(b64_json ?? '', 'base64'),
  )
  expect(pictures.map(sizeOf)).toEqual(Array.from({ length: 3 }, () => ['PNG', 256, 256]))
  expect(new Set(pictures.map((png) => png.toString('base64'))).size).toBe(3)
})

test('accepts a list of one image and rejects a list of two', async () => {
  const image = await toFile(await draw(), 'boat.png', { type: 'image/png' })
  const asked = { model: 'gpt-image-1', prompt: 'add a red balloon', size } as const
  const { data } = await client.images.edit({ ...asked, image: [image] })
  expect(sizeOf(Buffer.from(data?.[0]?.b64_json ?? '', 'base64'))).toEqual(['PNG', 256, 256])
  await expect(client.images.edit({ ...asked, image: [image, image] })).rejects.toMatchObject({
    status: 400,
    code: 'too_many_files',
    param: 'image',
  })
})

test.each([
  ['grey', 1, (inside: boolean) => [inside ? 255 : 0]],
  ['grey with alpha', 2, (inside: boolean) => [0, inside ? 0 : 255]],
] as const)('accepts a mask in %s', async (_, channels, toSample) => {
  const picture = await draw()
  const data = Uint8Array.from(Array.from({ length: 256 * 256 }, (_, i) => toSample(i < 128 * 256)).flat())
  const bytes = encode({ width: 256, height: 256, depth: 8, channels, data })
  const [image, mask] = await Promise.all([
    toFile(picture, 'boat.png', { type: 'image/png' }),
    toFile(bytes, 'mask.png', { type: 'image/png' }),
  ])
  const edited = await client.images.edit({ model: 'gpt-image-1', image, mask, prompt: 'a blue sky', size })
  const after = pixelsOf(Buffer.from(edited.data?.[0]?.b64_json ?? '', 'base64'))
  const before = pixelsOf(picture)
  const half = before.length / 2
  const margin = 16 * 256 * 4 // a seam may be smoothed beyond the mask's edge
  expect(after.subarray(half + margin).equals(before.subarray(half + margin))).toBe(true)
  expect(after.subarray(0, half).equals(before.subarray(0, half))).toBe(false)
})

test('lists the models', async () => {
  const names: string[] = []
  for await (const { id } of client.models.list()) names.push(id)
  expect(names).toContain('planner')
})
