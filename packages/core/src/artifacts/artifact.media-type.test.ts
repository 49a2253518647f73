import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { artifactKindOf, sniffMediaType } from './artifact.js'

const latin = (text: string) => Buffer.from(text, 'latin1')
const pixel = Buffer.concat([latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), deflateSync(Buffer.alloc(4))])

test.each([
  ['image/png', pixel],
  ['image/jpeg', latin('\xff\xd8\xff\xe0\0\x10JFIF\0')],
  ['image/jpeg', latin('\xff\xd8\xff\xe1\0\x18Exif\0')],
  ['image/gif', latin('GIF89a\x01\0\x01\0')],
  ['image/gif', latin('GIF87a\x01\0\x01\0')],
  ['image/webp', latin('RIFF\x24\0\0\0WEBPVP8 ')],
  ['image/avif', latin('\0\0\0\x1cftypavif\0\0\0\0')],
  ['image/heic', latin('\0\0\0\x18ftypheic\0\0\0\0')],
  ['audio/wav', latin('RIFF\x24\0\0\0WAVEfmt ')],
  ['audio/mpeg', latin('ID3\x04\0\0\0\0\0\x0a')],
  ['audio/mpeg', latin('\xff\xfb\x90\x64')],
  ['audio/mpeg', latin('\xff\xf3\x48\xc4')],
  ['audio/ogg', latin('OggS\0\x02')],
  ['audio/flac', latin('fLaC\0\0\0\x22')],
  ['audio/webm', latin('\x1aE\xdf\xa3\x9f')],
  ['audio/mp4', latin('\0\0\0\x20ftypM4A \0\0\0\0')],
  ['application/pdf', latin('%PDF-1.7\n')],
])('a file that begins as %s does is one', (mediaType, bytes) => {
  expect(sniffMediaType(bytes)).toBe(mediaType)
  expect(sniffMediaType(Buffer.concat([bytes, Buffer.alloc(100_000)]))).toBe(mediaType)
})

test.each([
  ['nothing', ''],
  ['a cut signature', '\x89PNG'],
  ['plain words', 'hello there'],
  ['words with a name in the middle', 'The big WAVE hit'],
  ['words with another', 'A ribbonWEBP'],
  ['UTF-16 text, little end first', '\xff\xfeh\0i\0'],
  ['UTF-16 text, big end first', '\xfe\xff\0h\0i'],
  ['set bits', '\xff\xff\xff\xff'],
  ['an AAC frame', '\xff\xf1\x50\x80'],
  ['a zip', 'PK\x03\x04'],
  ['a RIFF of another kind', 'RIFF\x24\0\0\0AVI LIST'],
])('%s tells no type', (_what, text) => {
  expect(sniffMediaType(latin(text))).toBeUndefined()
})

test.each([
  ['image/svg+xml', 'image'],
  ['audio/ogg; codecs=opus', 'audio'],
  ['text/csv', 'text'],
  ['application/json; charset=utf-8', 'text'],
  ['application/pdf', 'file'],
  ['video/mp4', 'file'],
  ['', 'file'],
])('%j makes an artifact of kind %s', (mediaType, kind) => {
  expect(artifactKindOf(mediaType)).toBe(kind)
})
