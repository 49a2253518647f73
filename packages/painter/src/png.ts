import { convertIndexedToRgb, type DecodedPng, decode, encode } from 'fast-png'
import { PaintError } from './paint-error.js'
import { blankPicture, type Picture } from './picture.js'
import { checkPng } from './png-check.js'

/** The bytes of a picture as a PNG: the same pixels give the same bytes on every machine. */
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
 * The picture in the bytes of a PNG: grey, colour or palette, 1 to 16 bits, with or without transparency.
 * Anything else is 400 `invalid_image`, which says what came instead; `param` names the field it came in.
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
      `The PNG in "${param}" is damaged (${reason}). Save it again and send that.`,
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
    // A tRNS chunk names the one colour that is transparent.
    const hidden = transparency?.every((value, c) => samples[at + c] === value) ?? false
    for (let c = 0; c < 3; c++)
      picture.pixels[i * 4 + c] = (samples[at + (colors === 1 ? 0 : c)] ?? 0) * scale
    picture.pixels[i * 4 + 3] = hidden ? 0 : channels > colors ? (samples[at + colors] ?? 0) * scale : 255
  }
  return picture
}

/** One number a sample; below 8 bits the decoder leaves several in a byte, each row starting a new one. */
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
