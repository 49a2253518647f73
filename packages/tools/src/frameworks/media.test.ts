import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { picture } from '../../test/frameworks/picture.js'
import { storeMedia } from './media.js'

const base64 = picture.toString('base64')
const url = `data:image/png;base64,${base64}`
const bytes = new Uint8Array(picture)

test.each([
  ['bytes', bytes],
  ['a Buffer', picture],
  ['an ArrayBuffer', bytes.buffer],
  ['a Blob', new Blob([bytes])],
  ['a data URL', url],
  ['an image of MCP', { type: 'image', data: base64, mimeType: 'image/png' }],
  [
    'a resource of MCP',
    { type: 'resource', resource: { uri: 'a://b', blob: base64, mimeType: 'image/png' } },
  ],
  ['a file of the AI SDK 7', { type: 'file', mediaType: 'image/png', data: { type: 'data', data: base64 } }],
  ['bytes of the AI SDK 7', { type: 'file', mediaType: 'image', data: { type: 'data', data: bytes } }],
  ['an image of the AI SDK 6', { type: 'image-data', data: base64, mediaType: 'image/png' }],
  ['a generated file', { base64, uint8Array: bytes, mediaType: 'image/png' }],
  ['an image without its type', { type: 'image', data: base64 }],
  ['an image_url of LangChain', { type: 'image_url', image_url: { url } }],
  ['an image_url as text', { type: 'image_url', image_url: url }],
  ['an image of LangChain', { type: 'image', source_type: 'base64', mime_type: 'image/png', data: base64 }],
  [
    'an image of OpenAI Agents',
    { type: 'image', image: { data: base64, mediaType: 'image/png' }, detail: 'low' },
  ],
  ['an image as a data URL', { type: 'image', image: url }],
  [
    'a file of OpenAI Agents',
    { type: 'file', file: { data: bytes, mediaType: 'image/png', filename: 'a.png' } },
  ],
])('stores %s', async (_, value) => {
  const artifacts = memoryArtifacts()
  const stored = await storeMedia({ at: [value] }, artifacts)
  const [artifact] = await artifacts.list()
  expect(artifact).toMatchObject({ kind: 'image', mediaType: 'image/png', size: picture.length })
  expect(stored).toMatchObject({ at: [{ id: artifact?.id }] })
})

test.each([
  ['text', 'iVBORw0KGgo='],
  ['a URL', { type: 'image', image: 'https://example.com/a.png' }],
  ['a text in a field named data', { type: 'file', data: 'plain words' }],
  ['base64 of an unknown format without a media type', { type: 'image', data: 'aGVsbG8=' }],
  ['a data URL without base64', 'data:text/plain,hello'],
  ['broken base64', 'data:image/png;base64,%%'],
  ['a type of something else', { type: 'invoice', data: base64 }],
  ['a date', new Date(0)],
  ['nothing', undefined],
])('leaves %s as it is', async (_, value) => {
  const artifacts = memoryArtifacts()
  expect(await storeMedia(value, artifacts)).toBe(value)
  expect(await artifacts.list()).toEqual([])
})

test('a field named __proto__ stays a field', async () => {
  const value = JSON.parse(`{ "__proto__": { "admin": true }, "image": "${url}" }`)
  const stored = await storeMedia(value, memoryArtifacts())
  expect(Object.keys(Object(stored))).toEqual(['__proto__', 'image'])
  expect(Object(stored).admin).toBeUndefined()
})

test('a media type that no header takes becomes bytes', async () => {
  const stored = await storeMedia(
    { type: 'file', data: new Uint8Array([1]), mediaType: 'a/b\r\nx: y' },
    memoryArtifacts(),
  )
  expect(stored).toMatchObject({ mediaType: 'application/octet-stream' })
})

test('the time grows with the size of a value whose parts are shared', async () => {
  let value: object = { image: url }
  for (let depth = 0; depth < 60; depth++) value = { one: value, other: value }
  expect(await storeMedia(value, memoryArtifacts())).toHaveProperty('one.other.one')
})

test('stores at most 256 of a result', async () => {
  const artifacts = memoryArtifacts()
  const given = Array.from({ length: 258 }, (_, at) => new Uint8Array([at % 256, at >> 8]))
  const stored = (await storeMedia(given, artifacts)) as readonly object[]
  expect((await artifacts.list()).length).toBe(256)
  expect(stored.slice(256)).toEqual(Array(2).fill({ leftOut: true, mediaType: 'application/octet-stream' }))
})
