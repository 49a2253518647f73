import { sniffMediaType } from '@capstan/core'
import { imageSize } from 'image-size'

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
