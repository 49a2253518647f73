import { sniffMediaType } from '@capstan/core'
import { serverMessage } from '@capstan/core/internal'
import { imageSize } from 'image-size'

/** As many bytes as tell a type. */
export const headBytes = 4100

/** The media type that the first bytes of a file tell; undefined when they tell none. */
export async function contentType(head: Uint8Array): Promise<string | undefined> {
  const known = sniffMediaType(head)
  if (known) return known
  const { fileTypeFromBuffer } = await import('file-type')
  // The detectors read past the end of what is cut off.
  return (await fileTypeFromBuffer(head.subarray(0, headBytes)).catch(() => undefined))?.mime
}

export interface ImageFacts {
  readonly mediaType: string
  /** In pixels; absent when the header does not say. */
  readonly width?: number
  readonly height?: number
}

/** What bytes are as an image, or undefined when they are none. `said` is the type that came with them. */
export function recognizeImage(bytes: Uint8Array, said = ''): ImageFacts | undefined {
  const measured = measure(bytes)
  const sniffed = sniffMediaType(bytes)
  if (sniffed?.startsWith('image/')) return { mediaType: sniffed, ...measured?.area }
  // Nothing but zeros measures as TGA, and a page with an icon in it as SVG.
  if (!measured || measured.type === 'tga' || (measured.type === 'svg' && said !== 'image/svg+xml'))
    return undefined
  return { mediaType: measured.type === 'svg' ? said : `image/${measured.type}`, ...measured.area }
}

function measure(
  bytes: Uint8Array,
): { type: string | undefined; area: Pick<ImageFacts, 'width' | 'height'> } | undefined {
  try {
    const { width, height, type } = imageSize(bytes)
    return { type, area: width >= 1 && height >= 1 ? { width, height } : {} }
  } catch {
    return undefined
  }
}

/** The containers that recordings come in and that can be taken apart. */
export type Container = 'wav' | 'mp3' | 'ogg' | 'm4a' | 'flac' | 'webm'

/** The container of this media type, whoever spells it. */
function toContainer(mediaType: string): Container | undefined {
  return containers[mediaType.toLowerCase().split(';')[0]?.trim() ?? '']
}

/** What the first bytes of a recording are: a container, or another type. */
export async function readContainer(
  head: Uint8Array,
): Promise<{ mediaType: string | undefined; container: Container | undefined }> {
  const mediaType = await contentType(head)
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

/** What the bytes of an answer say, which may be no text at all. Never long. */
export function wordsOf(bytes: Uint8Array): string {
  const text = asText(bytes)
  if (text !== undefined) return serverMessage(text)
  const head = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ')
  return `${bytes.byteLength} bytes that begin ${head}`
}

/** The bytes as text, or undefined when they are none: text holds no control characters. */
export function asText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 512).some((byte) => byte < 9 || (byte > 13 && byte < 32) || byte === 127))
    return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
