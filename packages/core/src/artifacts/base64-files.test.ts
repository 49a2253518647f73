import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Base64Filter, fileOfPart, withFile } from './base64-files.js'

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

test('a place of a stored part writes own fields alone', () => {
  const place = { path: ['__proto__', 'polluted'], prefix: '' }
  const part = withFile({ type: 'x' }, place, 'AAAA')
  expect(Object.getPrototypeOf(part)).toBe(Object.prototype)
  expect(Object.hasOwn({}, 'polluted') || 'polluted' in {}).toBe(false)
})

/** Shows a text in pieces, and returns what is shown, and whether the rest is held back. */
function show(text: string, sizes: readonly number[]) {
  const filter = new Base64Filter()
  let shown = ''
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    shown += filter.add(text.slice(at, at + size))
    at += size
  }
  return { shown, isHolding: filter.isHolding }
}

const sizes = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 5 })

test('text without files is shown as it is, in whatever pieces it comes', () => {
  const word = fc.oneof(fc.string(), fc.constantFrom('x'.repeat(2000), 'ab12'.repeat(300), '/'.repeat(1500)))
  const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
  fc.assert(
    fc.property(text, sizes, (given, pieces) => {
      expect(show(given, pieces)).toEqual({ shown: given, isHolding: false })
    }),
  )
})

test('of a file less than 1 kB is shown, and nothing after it', () => {
  const prefix = fc.constantFrom('', 'Look: ', 'Look: ![](data:image/png;base64,')
  fc.assert(
    fc.property(prefix, fc.integer({ min: 1600, max: 4000 }), sizes, (before, length, pieces) => {
      const { shown, isHolding } = show(`${before}${base64(pngOf(length))}) and more`, pieces)
      expect(isHolding).toBe(true)
      expect(shown).not.toMatch(/[A-Za-z0-9+/]{1024}/)
      expect(shown).not.toContain('and more')
      expect(before.startsWith(shown) || shown.startsWith(before)).toBe(true)
    }),
  )
})
