import { expect, test } from 'vitest'
import { fileOfPart, withFile } from './encoded-files.js'

const pngOf = (length: number) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * 7919) % 251)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return bytes
}
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const png = base64(pngOf(30))
const samples = base64(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9))

test.each<[string, unknown, string]>([
  ['image_url', { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }, 'image/png'],
  ['image_url as a text', { type: 'image_url', image_url: `data:image/png;base64,${png}` }, 'image/png'],
  ['a declared type that the bytes contradict', { url: `data:image/webp;base64,${png}` }, 'image/png'],
  [
    'a type that the bytes do not tell',
    { url: `data:image/svg+xml;charset=utf-8;base64,${samples}` },
    'image/svg+xml',
  ],
  [
    'a name in the URL',
    { image_url: { url: `data:image/png;name=my%20"cat".png;base64,${png}` } },
    'image/png',
  ],
  ['a URL after a space', { url: ` data:image/png;base64,${png}` }, 'image/png'],
  ['a URL in upper case', { url: `DATA:image/heic;BASE64,${samples}` }, 'image/heic'],
  ['input_audio', { type: 'input_audio', input_audio: { data: samples, format: 'mp3' } }, 'audio/mpeg'],
  ['samples', { audio: { data: samples, format: 'pcm16' } }, 'audio/pcm'],
  [
    'file',
    { type: 'file', file: { filename: 'a', file_data: `data:application/zip;base64,${samples}` } },
    'application/zip',
  ],
  [
    'source',
    { type: 'image', source: { type: 'base64', media_type: 'image/heic', data: samples } },
    'image/heic',
  ],
  [
    'file_data without a type',
    { type: 'file', file: { filename: 'a.docx', file_data: samples.repeat(103) } },
    'application/octet-stream',
  ],
  ['b64_json without a type', { b64_json: samples.repeat(103) }, 'application/octet-stream'],
  ['inlineData', { inlineData: { mimeType: 'video/mp4', data: samples } }, 'video/mp4'],
])('reads the file of a part, and writes it back in its place: %s', (_name, part, mediaType) => {
  const file = fileOfPart(part)
  expect(file?.mediaType).toBe(mediaType)
  const { place, bytes = new Uint8Array() } = file ?? {}
  const empty = place && withFile(part, { ...place, prefix: '' }, '')
  expect(JSON.stringify(empty)).not.toContain(base64(bytes))
  expect(place && withFile(empty, place, base64(bytes))).toEqual(part)
})

test.each([
  [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
  [{ type: 'file', file: { file_id: 'file-abc' } }],
  [{ type: 'file', file: { file_data: 'file-abc' } }],
  [{ type: 'state', data: samples.repeat(200) }],
  [{ type: 'url_citation', source: 'wikipedia', url: 'https://example.com' }],
  [{ type: 'reasoning', data: samples, format: 'unknown' }],
  [{ url: 'data:image/png;base64,' }],
  [{ url: 'data:image/png;base64,not base64!' }],
  [{ url: 'data:image/svg+xml,<svg/>' }],
  [{ audio: { id: 'audio_1', transcript: 'Hi' } }],
  [{ source: { source: { source: { source: { source: { data: png } } } } } }],
  [null],
  [5],
])('no file is in %j', (part) => {
  expect(fileOfPart(part)).toBeUndefined()
})

test('reads a picture that is escaped text, and writes it back as base64', () => {
  const drawing = `<svg>${'<rect/>'.repeat(200)}</svg>`
  const part = { image_url: { url: `data:image/svg+xml;utf8,${encodeURIComponent(drawing)}` } }
  const { bytes, mediaType, place } = fileOfPart(part) ?? {}
  expect([String(Buffer.from(bytes ?? [])), mediaType]).toEqual([drawing, 'image/svg+xml'])
  const encoded = Buffer.from(drawing).toString('base64')
  expect(place && withFile(part, place, encoded)).toEqual({
    image_url: { url: `data:image/svg+xml;utf8;base64,${encoded}` },
  })
})

test('a place of a stored part writes own fields alone', () => {
  const place = { path: ['__proto__', 'polluted'], prefix: '' }
  const part = withFile({ type: 'x' }, place, 'AAAA')
  expect(Object.getPrototypeOf(part)).toBe(Object.prototype)
  expect(Object.hasOwn({}, 'polluted') || 'polluted' in {}).toBe(false)
})
