import { sniffMediaType } from '@capstan/core'
import { serverMessage } from '@capstan/core/internal'
import { imageSize } from 'image-size'

/** How many of the first bytes are enough to detect a media type. */
export const headBytes = 4100

/** Detects the media type from a file's first bytes. Undefined if unknown. */
export async function detectType(head: Uint8Array): Promise<string | undefined> {
  const known = sniffMediaType(head)
  if (known) return known
  const { sniffFile } = await import('./sniff-file.js')
  return sniffFile(head.subarray(0, headBytes))
}

export interface ImageInfo {
  readonly mediaType: string
  /** The width in pixels. Absent if the header does not contain it. */
  readonly width?: number
  readonly height?: number
}

/** Detects an image's type and size. Undefined if it is not an image. `said` is its declared type. */
export function detectImage(bytes: Uint8Array, said = ''): ImageInfo | undefined {
  const measured = readImageSize(bytes)
  const sniffed = sniffMediaType(bytes)
  if (sniffed?.startsWith('image/')) return { mediaType: sniffed, ...measured?.area }
  // Zeros would be detected as TGA, and a page with an inline icon as SVG.
  if (!measured || measured.type === 'tga' || (measured.type === 'svg' && said !== 'image/svg+xml'))
    return undefined
  return { mediaType: measured.type === 'svg' ? said : `image/${measured.type}`, ...measured.area }
}

function readImageSize(
  bytes: Uint8Array,
): { type: string | undefined; area: Pick<ImageInfo, 'width' | 'height'> } | undefined {
  try {
    const { width, height, type } = imageSize(bytes)
    return { type, area: width >= 1 && height >= 1 ? { width, height } : {} }
  } catch {
    return undefined
  }
}

/** Audio containers that can be split. */
export type Container = 'wav' | 'mp3' | 'ogg' | 'm4a' | 'flac' | 'webm'

/** Returns the container for a media type such as `audio/x-wav`. Undefined if it cannot be split. */
function toContainer(mediaType: string): Container | undefined {
  return containers[mediaType.toLowerCase().split(';')[0]?.trim() ?? '']
}

/** Detects a recording's media type and container from its first bytes. Undefined if unknown. */
export async function detectContainer(
  head: Uint8Array,
): Promise<{ mediaType: string | undefined; container: Container | undefined }> {
  const mediaType = await detectType(head)
  return { mediaType, container: mediaType === undefined ? undefined : toContainer(mediaType) }
}

const containers: Readonly<Record<string, Container>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'video/ogg': 'ogg',
  'application/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'video/mp4': 'm4a',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/webm': 'webm',
  'video/webm': 'webm',
  'video/x-matroska': 'webm',
}

/** Returns a short excerpt of a response: its text or, if it is not text, its first bytes in hexadecimal. */
export function textFrom(bytes: Uint8Array): string {
  const text = decodeText(bytes)
  if (text !== undefined) return serverMessage(text)
  const head = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return `${bytes.byteLength} bytes that start with ${head}`
}

/** Decodes text. Undefined for invalid UTF-8, or if there are control characters in the first 512 bytes. */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 512).some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127))
    return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
