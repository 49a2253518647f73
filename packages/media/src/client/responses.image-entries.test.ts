import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { base64 } from '../../test/artifacts.js'
import { startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { generateImage } from '../tools/generate-image.js'

const inside = base64(png(6, 5))
const uri = `data:image/png;base64,${inside}`

test.each([
  ['the interface: base64', { data: [{ b64_json: inside }] }],
  ['the interface: a link', { data: [{ url: '/a.png' }] }],
  ['a list by itself', [{ b64_json: inside }]],
  ['a list of texts', { images: [inside] }],
  ['a list of data: addresses', { output: [uri] }],
  ['"images" in place of "data"', { images: [{ url: uri }] }],
  ['an empty "data" beside it', { data: [], images: [{ b64_json: inside }] }],
  ['"image"', { data: [{ image: inside }] }],
  ['"image_url" with a "url" in it', { data: [{ image_url: { url: uri } }] }],
  ['"base64"', { data: [{ base64: inside }] }],
  ['a data: address for base64', { data: [{ b64_json: uri }] }],
])('reads a response with %s', async (_, body) => {
  const server = await startMediaServer(({ path }) => (path === '/a.png' ? { body: png(6, 5) } : { body }))
  const { images } = await generateImage({ client: server.client }).call({ prompt: 'a cat' })
  expect(images).toMatchObject([{ width: 6, height: 5, mediaType: 'image/png' }])
})

test('reads an image as the whole response', async () => {
  const server = await startMediaServer(() => ({ body: png(6, 5), headers: { 'content-type': 'image/png' } }))
  const { images } = await generateImage({ client: server.client }).call({ prompt: 'a cat' })
  expect(images).toMatchObject([{ width: 6, height: 5 }])
})

test('stores each entry as an artifact, in order, with its origin', async () => {
  const body = { data: [3, 1, 2].map((width) => ({ b64_json: base64(png(width, 9)) })) }
  const server = await startMediaServer(() => ({ body }))
  const artifacts = memoryArtifacts()
  const { images } = await generateImage({ client: server.client, artifacts }).call({ prompt: 'a cat', n: 3 })
  expect(images.map(({ width }) => width)).toEqual([3, 1, 2])
  const origin = { prompt: 'a cat', model: 'gpt-image-1' }
  expect(await artifacts.list()).toMatchObject([{ origin }, { origin }, { origin }])
})
