/** An image in memory. Rows start at the top, and each pixel has four bytes: red, green, blue and straight alpha. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8ClampedArray
  /** The painted scene as text. Files store it, so that edits can change the scene. */
  readonly scene?: string
}

/** Returns a fully transparent black image. */
export function blankPicture(width: number, height: number): Picture {
  return { width, height, pixels: new Uint8ClampedArray(width * height * 4) }
}

/** The maximum number of pixels in an image to decode: 4096 x 4096. */
const mostPixels = 4096 * 4096

/**
 * Checks the size in an image's header before the image is decoded. Returns the problem, or undefined if there is none.
 */
export function sizeFault(width: number, height: number): string | undefined {
  if (width * height <= mostPixels) return undefined
  return `its ${width}x${height} pixels are too many; the limit is 4096x4096`
}

/** The image formats that the painter can read and write. */
export type PictureKind = 'png' | 'jpeg' | 'webp'

/** The format that a file's first bytes show, or a description of an unsupported format. */
export type FileKind = { readonly kind: PictureKind } | { readonly other: string }

/** Detects a file's format from its content, not from its name or media type. */
export function kindOf(bytes: Uint8Array): FileKind {
  const text = Buffer.from(bytes.subarray(0, 512)).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return { kind: 'png' }
  if (text.startsWith('\xff\xd8\xff')) return { kind: 'jpeg' }
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return { kind: 'webp' }
  return { other: nameOf(text) }
}

function nameOf(text: string): string {
  if (text === '') return 'an empty file'
  if (text.startsWith('GIF8')) return 'a GIF'
  if (text.startsWith('BM')) return 'a BMP'
  if (text.startsWith('%PDF')) return 'a PDF'
  if (text.startsWith('II*\0') || text.startsWith('MM\0*')) return 'a TIFF'
  if (text.startsWith('8BPS')) return 'a Photoshop file'
  if (text.startsWith('\xff\n') || text.slice(4, 8) === 'JXL ') return 'a JPEG XL'
  if (text.slice(4, 8) === 'ftyp') return brands[text.slice(8, 12)] ?? 'a video'
  if (/^\s*<([?!][^>]*>\s*<)*svg\b/i.test(text)) return 'an SVG'
  if (text.trimStart().startsWith('<')) return 'text (XML or HTML)'
  return text.includes('\0') ? 'of another kind' : 'text'
}

const brands: Readonly<Record<string, string>> = {
  avif: 'an AVIF',
  avis: 'an AVIF',
  heic: 'a HEIC',
  heix: 'a HEIC',
  mif1: 'a HEIC',
}
