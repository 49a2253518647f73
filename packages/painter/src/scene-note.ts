import { pngChunks } from '@capstan/formats/png'
import { pngChunk } from '@capstan/formats/write-png'
import type { PictureKind } from './picture.js'

/** The name under which a file stores the scene of its image. */
const keyword = 'capstan-scene'

/** The maximum length of a note to read, in bytes. */
const longest = 60_000

/** Writes a note into a file, as an `iTXt` chunk in a PNG, a comment in a JPEG, or XMP in a WebP. */
export function withNote(file: Uint8Array, kind: PictureKind, note: string): Uint8Array {
  // Escapes all other characters, so that the note is plain ASCII in every format.
  const plain = note.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  if (plain.length > longest) return file
  if (kind === 'png') return withPngNote(file, plain)
  if (kind === 'jpeg') return withJpegNote(file, plain)
  return withWebpNote(file, plain)
}

/** Returns the note in a file. Undefined if the file has no note or is damaged. */
export function noteIn(file: Uint8Array, kind: PictureKind): string | undefined {
  if (kind === 'png') return pngNote(file)
  if (kind === 'jpeg') return jpegNote(file)
  const xmp = webpChunks(file).find(({ type }) => type === 'XMP ')
  const [, text] = (xmp && new RegExp(`${keyword}="([^"]*)"`).exec(toText(xmp.body))) ?? []
  return text?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}

/** The position after the header, which has 13 bytes. The note's chunk is written there. */
const afterPngHeader = 8 + 12 + 13

/** The start of the note's chunk: no compression, no language, and no translated keyword. */
const pngStart = `${keyword}\0\0\0\0\0`

function withPngNote(file: Uint8Array, note: string): Uint8Array {
  const chunk = pngChunk('iTXt', toBytes(`${pngStart}${note}`))
  return joined(file.subarray(0, afterPngHeader), chunk, file.subarray(afterPngHeader))
}

function pngNote(file: Uint8Array): string | undefined {
  const texts = pngChunks(file).flatMap(({ type, body }) => (type === 'iTXt' ? [toText(body)] : []))
  return texts.find((text) => text.startsWith(pngStart))?.slice(pngStart.length)
}

function withJpegNote(file: Uint8Array, note: string): Uint8Array {
  const body = toBytes(`${keyword}:${note}`)
  const head = Uint8Array.of(0xff, 0xfe, (body.length + 2) >> 8, (body.length + 2) & 255)
  // Inserts the comment after the first segment, which decoders expect to be JFIF.
  const at = file[3] === 0xe0 ? 4 + (((file[4] ?? 0) << 8) | (file[5] ?? 0)) : 2
  return joined(file.subarray(0, at), head, body, file.subarray(at))
}

function jpegNote(file: Uint8Array): string | undefined {
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff && file[at + 1] !== 0xda; ) {
    const length = ((file[at + 2] ?? 0) << 8) | (file[at + 3] ?? 0)
    const text = file[at + 1] === 0xfe ? toText(file.subarray(at + 4, at + 2 + length)) : ''
    if (text.startsWith(`${keyword}:`)) return text.slice(keyword.length + 1)
    at += 2 + length
  }
  return undefined
}

/** Only the extended form of a WebP can contain metadata. */
function withWebpNote(file: Uint8Array, note: string): Uint8Array {
  const chunks = webpChunks(file)
  const frame = chunks.find(({ type }) => type === 'VP8 ' || type === 'VP8L')
  const extended = chunks.find(({ type }) => type === 'VP8X')
  if (!frame) return file
  const header = extended ? new Uint8Array(extended.body) : webpHeader(frame)
  header[0] = (header[0] ?? 0) | 0x04
  const attribute = note.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
  const packet =
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${rdf}"><rdf:Description rdf:about="" ` +
    `xmlns:c="https://github.com/capstan-dev/capstan/" c:${keyword}="${attribute}"/></rdf:RDF></x:xmpmeta>`
  const kept = chunks.filter(({ type }) => type !== 'VP8X' && type !== 'XMP ')
  const body = joined(
    webpChunk('VP8X', header),
    ...kept.map(({ type, body }) => webpChunk(type, body)),
    webpChunk('XMP ', toBytes(packet)),
  )
  const size = Buffer.alloc(4)
  size.writeUInt32LE(body.length + 4)
  return joined(toBytes('RIFF'), size, toBytes('WEBP'), body)
}

interface WebpChunk {
  readonly type: string
  readonly body: Uint8Array
}

function webpChunks(file: Uint8Array): WebpChunk[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const chunks: WebpChunk[] = []
  for (let at = 12; at + 8 <= file.length; ) {
    const length = view.getUint32(at + 4, true)
    if (at + 8 + length > file.length) break
    chunks.push({ type: toText(file.subarray(at, at + 4)), body: file.subarray(at + 8, at + 8 + length) })
    at += 8 + length + (length % 2)
  }
  return chunks
}

/** Returns the extended header for a simple file: its size, and whether it is transparent. */
function webpHeader({ type, body }: WebpChunk): Uint8Array {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  const packed = type === 'VP8L' ? view.getUint32(1, true) : 0
  const [wide, high] =
    type === 'VP8L'
      ? [packed & 0x3fff, (packed >> 14) & 0x3fff]
      : [(view.getUint16(6, true) & 0x3fff) - 1, (view.getUint16(8, true) & 0x3fff) - 1]
  const alpha = type === 'VP8L' && ((packed >>> 28) & 1) === 1 ? 0x10 : 0
  const threeBytes = (value: number): number[] => [value & 255, (value >> 8) & 255, value >> 16]
  return Uint8Array.of(alpha, 0, 0, 0, ...threeBytes(wide), ...threeBytes(high))
}

function webpChunk(type: string, body: Uint8Array): Uint8Array {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(body.length)
  return joined(toBytes(type), size, body, new Uint8Array(body.length % 2))
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

function toBytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
