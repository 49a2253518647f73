import { checkJpeg } from './jpeg-check.js'
import { PaintError } from './paint-error.js'
import type { Picture } from './picture.js'
import { kindOf } from './picture-kind.js'
import { parsePng } from './png.js'
import { type Codec, jpeg, webp } from './wasm-codec.js'
import { checkWebp } from './webp-check.js'

/**
 * The picture in the bytes of a PNG, JPEG or WebP, told by their content; a JPEG is turned as its EXIF says. Anything
 * else is 400 `invalid_image`, which says what came instead; `param` names the field it came in.
 */
export async function readPicture(bytes: Uint8Array, param: string): Promise<Picture> {
  const found = kindOf(bytes)
  if ('other' in found) {
    const message = `"${param}" must be a PNG, JPEG or WebP; what came is ${found.other}.`
    throw new PaintError('invalid_image', message, param)
  }
  if (found.kind === 'png') return parsePng(bytes, param)
  const [name, facts, codec] =
    found.kind === 'jpeg'
      ? (['JPEG', checkJpeg(bytes), jpeg] as const)
      : (['WebP', checkWebp(bytes), webp] as const)
  const fault = 'fault' in facts ? facts.fault : undefined
  const picture = fault ? undefined : await decoded(codec, bytes, facts as Size)
  if (picture) return picture
  const message = `The ${name} in "${param}" cannot be read: ${fault ?? 'it is damaged; save it again and send that'}.`
  throw new PaintError('invalid_image', message, param)
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Nothing when the codec fails, or gives something else than the header announced. */
async function decoded(codec: Codec, bytes: Uint8Array, facts: Size): Promise<Picture | undefined> {
  const { width, height, data } = await codec
    .decode(bytes)
    .catch(() => ({ width: 0, height: 0, data: undefined }))
  const sides = [width, height].toSorted().join()
  if (!data || sides !== [facts.width, facts.height].toSorted().join()) return undefined
  return data.length === width * height * 4
    ? { width, height, pixels: new Uint8ClampedArray(data) }
    : undefined
}
