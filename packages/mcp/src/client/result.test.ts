import { memoryArtifacts } from '@capstan/core'
import { toBase64 } from '@capstan/core/internal'
import type { ContentBlock, ReadResourceResult } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { picture } from '../../test/picture.js'
import { type McpContent, toResult } from './result.js'

const read = async (uri: string): Promise<ReadResourceResult> => {
  if (!uri.startsWith('demo://')) throw new Error('not here')
  return { contents: [{ uri, mimeType: 'image/png', blob: toBase64(picture) }] }
}

const resultOf = (content: ContentBlock[], structuredContent?: Record<string, unknown>) =>
  toResult(
    { content, ...(structuredContent ? { structuredContent } : {}) },
    { artifacts: memoryArtifacts(), read },
  )

const text = (text: string): ContentBlock => ({ type: 'text', text })

test('text alone is the result', async () => {
  expect(await resultOf([text('one'), text('two')])).toBe('one\ntwo')
  expect(await resultOf([])).toBe('')
})

test('structured content is not repeated as text', async () => {
  expect(await resultOf([text('{ "sum": 3 }')], { sum: 3 })).toEqual({ structured: { sum: 3 } })
  expect(await resultOf([text('Three.')], { sum: 3 })).toEqual({ text: 'Three.', structured: { sum: 3 } })
})

test('structured content is not repeated as JSON in another order or spelling', async () => {
  const structured = { a: [1, { x: 'é', y: null }], b: 2 }
  const repeated = '\n{"b": 2.0, "a": [1, {"y": null, "x": "\\u00e9"}]}\n'
  expect(await resultOf([text(repeated), text('{"b":2}')], structured)).toEqual({
    text: '{"b":2}',
    structured,
  })
})

test('JSON in text stays as it was written when there is no structured content', async () => {
  expect(await resultOf([text('{ "b": 2.0 }')])).toBe('{ "b": 2.0 }')
})

test('images, audio, files and linked resources become artifacts by their content', async () => {
  const data = toBase64(picture)
  const result = await resultOf([
    { type: 'image', data, mimeType: 'image/jpeg' },
    { type: 'audio', data: toBase64(new TextEncoder().encode('OggS....')), mimeType: 'audio/ogg' },
    {
      type: 'resource',
      resource: { uri: 'demo://a', blob: toBase64(new Uint8Array([1, 2])), mimeType: 'x/<y>' },
    },
    { type: 'resource', resource: { uri: 'demo://b', text: 'words of a file' } },
    { type: 'resource_link', uri: 'demo://c', name: 'c' },
  ])
  const { artifacts = [], text: words, links } = result as McpContent
  expect(artifacts.map(({ kind, mediaType }) => [kind, mediaType])).toEqual([
    ['image', 'image/png'],
    ['audio', 'audio/ogg'],
    ['file', 'application/octet-stream'],
    ['image', 'image/png'],
  ])
  expect(words).toBe('Resource demo://b:\nwords of a file')
  const [, , file, linked] = artifacts
  expect(links).toEqual([
    { uri: 'demo://a', artifact: file?.id },
    { uri: 'demo://c', name: 'c', artifact: linked?.id },
  ])
  expect(file?.origin).toEqual({ uri: 'demo://a' })
})

test('a linked resource keeps its name and its URI, on the artifact too', async () => {
  const link: ContentBlock = { type: 'resource_link', uri: 'demo://map', name: 'The map' }
  const { artifacts = [], links } = (await resultOf([link])) as McpContent
  expect(artifacts[0]?.origin).toEqual({ uri: 'demo://map', name: 'The map' })
  expect(links).toEqual([{ uri: 'demo://map', name: 'The map', artifact: artifacts[0]?.id }])
})

test.each<[string, Record<string, unknown>, string[]]>([
  ['a text', { result: 'line one\nline two' }, ['line one\nline two\n']],
  ['a number', { result: 4.5 }, ['4.50']],
  ['an object', { result: { b: 1, a: [2] } }, ['{"a": [2], "b": 1}']],
  ['an array, item by item', { result: ['one', { b: 2 }] }, ['one', '{ "b": 2 }']],
  ['an array as a whole', { result: ['one', 'two'] }, ['["one", "two"]']],
])('%s that structured content wraps is not repeated', async (_what, structured, texts) => {
  expect(await resultOf(texts.map(text), structured)).toEqual({ structured })
})

test('a text that structured content contains among others stays', async () => {
  const structured = { result: 'one', count: 1 }
  expect(await resultOf([text('one')], structured)).toEqual({ text: 'one', structured })
  expect(await resultOf([text('one'), text('three')], { result: ['one', 'two'] })).toMatchObject({
    text: 'one\nthree',
  })
})

test('a link that the server does not resolve stays a link, and no URL is fetched', async () => {
  const link: ContentBlock = { type: 'resource_link', uri: 'https://example.com/a', name: 'a' }
  expect(await resultOf([link])).toEqual({ links: [{ uri: 'https://example.com/a', name: 'a' }] })
})

test('reads the first 16 of many links', async () => {
  const links = Array.from({ length: 20 }, (_, at) => ({
    type: 'resource_link' as const,
    uri: `demo://${at}`,
    name: 'x',
  }))
  const { artifacts = [], links: told = [] } = (await resultOf(links)) as McpContent
  expect([artifacts.length, told.filter(({ artifact }) => artifact === undefined).length]).toEqual([16, 4])
})

test('reports bytes that are not valid base64', async () => {
  const broken: ContentBlock = { type: 'image', data: '&&&', mimeType: 'image/png' }
  await expect(resultOf([broken])).rejects.toMatchObject({ code: 'invalid_response' })
})

test('data that looks like an artifact stays data', async () => {
  const forged = { id: 'img_aaaaaaaa', kind: 'image', mediaType: 'image/png', size: 1, sha256: '00' }
  expect(await resultOf([], { here: { forged } })).toEqual({ structured: { here: { forged } } })
})

test('stores up to 256 images and counts the rest', async () => {
  const pictures = Array.from({ length: 1000 }, (_, at): ContentBlock => {
    const data = toBase64(new TextEncoder().encode(`picture ${at}`))
    return { type: 'image', data, mimeType: 'image/png' }
  })
  const artifacts = memoryArtifacts()
  const link: ContentBlock = { type: 'resource_link', uri: 'demo://a', name: 'a' }
  const result = await toResult({ content: [...pictures, link] }, { artifacts, read })
  expect(result).toMatchObject({ leftOut: 744, links: [{ uri: 'demo://a', name: 'a' }] })
  expect(await artifacts.list()).toHaveLength(256)
})
