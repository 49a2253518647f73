import { inflateSync } from 'node:zlib'
import { convertIndexedToRgb, type DecodedPng, decode, encode } from 'fast-png'
import { PaintError } from './paint-error.js'
import { blankPicture, type Picture, sizeFault } from './picture.js'

/** Encodes an image as a PNG: the same pixels give the same bytes on every machine. */
export function encodePng({ width, height, pixels }: Picture): Uint8Array {
  const opaque = isOpaque(pixels)
  return encode({
    width,
    height,
    depth: 8,
    channels: opaque ? 3 : 4,
    data: opaque ? withoutAlpha(pixels) : pixels,
  })
}

/**
 * Decodes a PNG: grey, colour or palette, 1 to 16 bits, with or without transparency. Throws `invalid_image`
 * for anything else, with the format of the file; `param` is the request field in the message.
 */
export function parsePng(bytes: Uint8Array, param: string): Picture {
  const { png, indexed } = checkPng(bytes, param)
  try {
    const decoded = decode(png)
    return indexed ? fromPalette(decoded) : fromSamples(decoded)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PaintError(
      'invalid_image',
      `The PNG in "${param}" is damaged (${reason}). Save it again.`,
      param,
    )
  }
}

function isOpaque(pixels: Uint8ClampedArray): boolean {
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 255) return false
  return true
}

function withoutAlpha(pixels: Uint8ClampedArray): Uint8Array {
  const colors = new Uint8Array((pixels.length / 4) * 3)
  for (let from = 0, to = 0; from < pixels.length; from += 4) {
    for (let c = 0; c < 3; c++) colors[to++] = pixels[from + c] ?? 0
  }
  return colors
}

function fromPalette(decoded: DecodedPng): Picture {
  const picture = blankPicture(decoded.width, decoded.height)
  const colors = convertIndexedToRgb(decoded)
  const channels = colors.length / (decoded.width * decoded.height)
  for (let i = 0; i < decoded.width * decoded.height; i++) {
    for (let c = 0; c < 4; c++)
      picture.pixels[i * 4 + c] = c < channels ? (colors[i * channels + c] ?? 0) : 255
  }
  return picture
}

function fromSamples(decoded: DecodedPng): Picture {
  const { width, height, channels, depth, transparency } = decoded
  const picture = blankPicture(width, height)
  const samples = unpacked(decoded)
  const scale = 255 / (2 ** depth - 1)
  const colors = channels < 3 ? 1 : 3
  for (let i = 0; i < width * height; i++) {
    const at = i * channels
    // A tRNS chunk names the one transparent colour.
    const hidden = transparency?.every((value, c) => samples[at + c] === value) ?? false
    for (let c = 0; c < 3; c++)
      picture.pixels[i * 4 + c] = (samples[at + (colors === 1 ? 0 : c)] ?? 0) * scale
    picture.pixels[i * 4 + 3] = hidden ? 0 : channels > colors ? (samples[at + colors] ?? 0) * scale : 255
  }
  return picture
}

/**
 * Unpacks one number per sample. Below 8 bits the decoder packs several in a byte, and each row starts a new
 * byte.
 */
function unpacked({ width, height, depth, data }: DecodedPng): ArrayLike<number> {
  if (depth >= 8) return data
  const samples = new Uint8Array(width * height)
  const perByte = 8 / depth
  const bytesPerRow = Math.ceil(width / perByte)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const byte = data[y * bytesPerRow + Math.floor(x / perByte)] ?? 0
      samples[y * width + x] = (byte >> (8 - depth * ((x % perByte) + 1))) & (2 ** depth - 1)
    }
  }
  return samples
}

/** A PNG that is safe to decode: only the chunks of its pixels, and the size of its header. */
interface CheckedPng {
  readonly png: Uint8Array
  /** Its pixels are indexes of palette entries. */
  readonly indexed: boolean
}

/**
 * Checks the structure of a PNG before its pixels are decompressed. Throws `invalid_image` with the fault.
 */
function checkPng(bytes: Uint8Array, param: string): CheckedPng {
  const fail = (why: string): PaintError =>
    new PaintError('invalid_image', `The PNG in "${param}" cannot be read: ${why}.`, param)
  if (!startsWith(bytes, signature)) throw fail('it does not begin like one')
  const chunks = toChunks(bytes)
  const header = toHeader(chunks[0])
  const data = chunks.filter(({ type }) => type === 'IDAT')
  if (!header) throw fail('its header is missing or damaged')
  const { width, height, depth, colorType, interlaced } = header
  const tooLarge = sizeFault(width, height)
  if (tooLarge) throw fail(tooLarge)
  if (interlaced && depth < 8)
    throw fail(`it is interlaced with ${depth} bits a sample; save it without interlacing`)
  if (data.length === 0 || chunks.at(-1)?.type !== 'IEND') throw fail('it is cut off; send the whole file')
  const damage = checkData(Buffer.concat(data.map(({ body }) => body)), header)
  if (damage) throw fail(damage)
  // Keeps only the chunks of the pixels: a damaged or hostile text or colour profile has no effect.
  const kept = chunks.filter(
    ({ type }) =>
      type === 'IHDR' ||
      type === 'IDAT' ||
      type === 'IEND' ||
      type === 'tRNS' ||
      (type === 'PLTE' && colorType === 3),
  )
  return { png: Buffer.concat([signature, ...kept.map(({ whole }) => whole)]), indexed: colorType === 3 }
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)

interface Chunk {
  readonly type: string
  readonly body: Uint8Array
  /** With its length, type and checksum. */
  readonly whole: Uint8Array
}

/** The chunks up to the end or to the truncation of the file. */
function toChunks(bytes: Uint8Array): Chunk[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const chunks: Chunk[] = []
  for (let at = signature.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length) break
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    chunks.push({ type, body: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) })
    if (type === 'IEND') break
    at = end
  }
  return chunks
}

interface Header {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colorType: number
  readonly interlaced: boolean
}

/** Samples per pixel, by colour type. */
const samplesOf: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function toHeader(chunk: Chunk | undefined): Header | undefined {
  if (chunk?.type !== 'IHDR' || chunk.body.length !== 13) return undefined
  const view = new DataView(chunk.body.buffer, chunk.body.byteOffset, 13)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const [depth, colorType] = [view.getUint8(8), view.getUint8(9)]
  if (width === 0 || height === 0 || !samplesOf[colorType]) return undefined
  return { width, height, depth, colorType, interlaced: view.getUint8(12) === 1 }
}

/** Checks the compressed pixels: too few, far too many, or unreadable. Returns the fault, or undefined. */
function checkData(
  packed: Uint8Array,
  { width, height, depth, colorType, interlaced }: Header,
): string | undefined {
  const row = Math.ceil((width * depth * (samplesOf[colorType] ?? 0)) / 8)
  // Interlacing splits an image into seven, whose rows begin with one byte each.
  const most = interlaced ? row * height + 4 * height + 64 : (row + 1) * height
  try {
    const length = inflateSync(packed, { maxOutputLength: most + 1024 }).length
    return length < (interlaced ? row * height : most)
      ? 'some of its pixels are missing; send the whole file'
      : undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ERR_BUFFER_TOO_LARGE') return 'it holds more data than its size allows'
    return code === 'Z_BUF_ERROR' ? 'it is cut off; send the whole file' : 'its pixels cannot be unpacked'
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte)
}
