import type { Picture } from './picture.js'
import type { PictureKind } from './picture-kind.js'
import { encodePng } from './png.js'
import { jpeg, webp } from './wasm-codec.js'

/** How a picture is written. */
export interface Output {
  readonly kind: PictureKind
  /** 0 to 100: the quality of a JPEG or WebP; a WebP of 100 is lossless. PNG has none. Default 90. */
  readonly quality?: number | undefined
}

/** The bytes of a picture: the same pixels give the same bytes on every machine. */
export async function writePicture(picture: Picture, { kind, quality = 90 }: Output): Promise<Uint8Array> {
  if (kind === 'png') return encodePng(picture)
  const { width, height } = picture
  if (kind === 'webp') return webp.encode({ width, height, data: picture.pixels }, quality)
  return jpeg.encode({ width, height, data: onWhite(picture) }, quality)
}

/** JPEG knows no transparency: white paper shows instead. */
function onWhite({ pixels }: Picture): Uint8ClampedArray {
  const result = pixels.slice()
  for (let i = 0; i < pixels.length; i += 4) {
    const alpha = (pixels[i + 3] ?? 0) / 255
    if (alpha === 1) continue
    for (let c = 0; c < 3; c++) result[i + c] = 255 + ((pixels[i + c] ?? 0) - 255) * alpha
    result[i + 3] = 255
  }
  return result
}
