import type { PictureBounds } from '@capstan/core'
import { CapstanError } from '@capstan/core'
import { loadSharp } from './load-sharp.js'

/**
 * A picture made small enough to be shown to a model, as JPEG: what an agent's `show.fit` is for.
 * @throws CapstanError `unsupported` when the package `sharp` is not installed, or the picture cannot be made to fit
 */
export async function fitPicture(picture: Uint8Array, bounds: PictureBounds): Promise<Uint8Array> {
  const sharp = await loadSharp('A picture is too large to be shown to the model as it is.')
  const { width, height } = await sharp(picture).metadata()
  const scale = Math.min(1, Math.sqrt(bounds.maxPixels / (width * height)))
  for (let side = Math.floor(width * scale); side >= 1; side = Math.floor(side / 2)) {
    // What is transparent would be black in a JPEG.
    const small = sharp(picture).rotate().resize({ width: side }).flatten({ background: 'white' })
    const bytes = new Uint8Array(await small.jpeg({ quality: 85 }).toBuffer())
    if (bytes.byteLength <= bounds.maxBytes) return bytes
  }
  const message = `A picture of ${width}x${height} pixels cannot be made to fit ${bounds.maxBytes} bytes.`
  throw new CapstanError('unsupported', message, { evidence: { ...bounds } })
}
