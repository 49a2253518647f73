import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { base64, bytesOf } from '../../test/artifacts.js'
import { startMediaServer, testKey } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { generateImage } from './generate-image.js'

const picture = png(40, 30)

test('sends the arguments as JSON with the key', async () => {
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(picture) }] } }))
  await generateImage({ client: server.client }).call({ prompt: 'a cat', size: '1024x512', n: 2 })
  const [request] = server.arrived
  expect(request?.path).toBe('/v1/images/generations')
  expect(request?.fields).toEqual({ model: 'gpt-image-1', prompt: 'a cat', size: '1024x512', n: 2 })
  expect(request?.headers).toMatchObject({
    authorization: `Bearer ${testKey}`,
    'content-type': 'application/json',
    'idempotency-key': expect.stringMatching(/^call_/),
  })
})

test('omits missing fields, and uses the model of the options', async () => {
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(picture) }] } }))
  await generateImage({ client: server.client, models: { image: 'flux' } }).call({ prompt: 'a cat' })
  expect(server.arrived[0]?.fields).toEqual({ model: 'flux', prompt: 'a cat' })
})

test('stores an inline image with its type, size and bytes', async () => {
  const server = await startMediaServer(() => ({
    body: { data: [{ b64_json: base64(picture), url: null }] },
  }))
  const artifacts = memoryArtifacts()
  const { images } = await generateImage({ client: server.client }).call({ prompt: 'a cat' }, { artifacts })
  expect(images).toEqual([
    expect.objectContaining({
      kind: 'image',
      mediaType: 'image/png',
      width: 40,
      height: 30,
      size: picture.length,
    }),
  ])
  for (const image of images) expect(await bytesOf(artifacts, image)).toEqual(picture)
})

test('accepts inline images and links in one response, and fetches links without the key', async () => {
  const linked = png(8, 8)
  const relative = png(9, 9)
  const server = await startMediaServer(({ path }, { origin }) => {
    if (path === '/files/linked.png') return { body: linked, headers: { 'content-type': 'image/png' } }
    if (path === '/files/relative.png') return { body: relative }
    const data = [
      { url: `${origin}/files/linked.png` },
      { b64_json: base64(picture) },
      { url: '/files/relative.png' },
    ]
    return { body: { created: 1, data } }
  })
  const { images } = await generateImage({ client: server.client }).call({ prompt: 'a cat', n: 3 })
  expect(images.map(({ width }) => width)).toEqual([8, 40, 9])
  const downloads = server.arrived.filter(({ path }) => path.startsWith('/files/'))
  expect(downloads).toHaveLength(2)
  for (const { headers } of downloads) expect(headers).not.toHaveProperty('authorization')
})

test('accepts an image as a data: URL in either field', async () => {
  const address = `data:image/png;base64,${base64(picture)}`
  const server = await startMediaServer(() => ({ body: { data: [{ url: address }, { b64_json: address }] } }))
  const { images } = await generateImage({ client: server.client }).call({ prompt: 'a cat' })
  expect(images.map(({ width }) => width)).toEqual([40, 40])
})

test('normalizes a size with spaces or another cross', async () => {
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(picture) }] } }))
  await generateImage({ client: server.client }).call({ prompt: 'a cat', size: '1024 × 768' })
  expect(server.arrived[0]?.fields.size).toBe('1024x768')
})

test.each(['big', '1024', '0x512', '-1x5', '512x', 'auto', '512x512x3'])(
  'rejects size "%s" before sending',
  async (size) => {
    const server = await startMediaServer(() => ({ body: {} }))
    const asked = generateImage({ client: server.client }).call({ prompt: 'a cat', size })
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining(
        'size: a size is "<width>x<height>" in pixels, for example "1024x1024"',
      ),
    })
    expect(server.arrived).toEqual([])
  },
)

test.each([
  [
    'an entry with neither field',
    { data: [{ revised_prompt: 'x' }] },
    'image 1: it has neither "url" nor "b64_json"',
  ],
  [
    'an entry that is null',
    { data: [{ b64_json: base64(picture) }, null] },
    'image 2: it has neither "url" nor "b64_json"',
  ],
  [
    'text that is not base64',
    { data: [{ b64_json: '<oops>' }] },
    'its b64_json is not base64. It starts with: <oops>',
  ],
  [
    'a page in place of an image',
    { data: [{ b64_json: btoa('<html><title>Sorry</title></html>') }] },
    'an HTML page, "Sorry"',
  ],
  [
    'JSON in place of an image',
    { data: [{ b64_json: btoa('{"error":{"message":"no GPU"}}') }] },
    'It contains: no GPU',
  ],
  ['no bytes at all', { data: [{ url: 'data:image/png;base64,' }] }, 'It contains: an empty body'],
  ['other bytes', { data: [{ b64_json: 'AAECAwQFBgcICQ==' }] }, '10 bytes that start with 00 01 02'],
  ['no entries', { created: 1, data: [] }, 'responded without images. It sent: {"created":1,"data":[]}'],
  [
    'an error with status 200',
    { error: { message: 'Out of paint.' } },
    'responded without images. It sent: Out of paint.',
  ],
  ['a page with status 200', '<!doctype html><title>Gateway</title>', 'an HTML page, "Gateway"'],
])('reports the response for %s', async (_, body, words) => {
  const server = await startMediaServer(() => ({ body }))
  await expect(generateImage({ client: server.client }).call({ prompt: 'a cat' })).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining(words),
  })
})

test('stores results in the store of the options, shared by tools', async () => {
  const server = await startMediaServer(() => ({ body: { data: [{ b64_json: base64(picture) }] } }))
  const artifacts = memoryArtifacts()
  const { images } = await generateImage({ client: server.client, artifacts }).call({ prompt: 'a cat' })
  expect(await artifacts.list()).toEqual(images)
})

test('rejects a list of too many images, and fetches none', async () => {
  const server = await startMediaServer((_, { origin }) => ({
    body: { data: Array.from({ length: 101 }, (_, i) => ({ url: `${origin}/${i}.png` })) },
  }))
  await expect(generateImage({ client: server.client }).call({ prompt: 'a cat' })).rejects.toThrow(
    'responded with 101 images. At most 100',
  )
  expect(server.arrived).toHaveLength(1)
})

test('aborts other links when one fails, and stores nothing', async () => {
  const server = await startMediaServer(({ path }, { origin }) => {
    if (path === '/slow.png') return undefined
    if (path === '/gone.png') return { status: 404, body: 'gone' }
    return { body: { data: ['slow', 'gone'].map((name) => ({ url: `${origin}/${name}.png` })) } }
  })
  const artifacts = memoryArtifacts()
  const drawn = generateImage({ client: server.client }).call({ prompt: 'a cat' }, { artifacts })
  await expect(drawn).rejects.toThrow('the server returned 404: gone')
  expect(await artifacts.list()).toEqual([])
})
