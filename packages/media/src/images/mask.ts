import type { Pixels } from './read-png.js'

/** The most pixels of a mask that is read or made: each takes several bytes on the way. */
export const mostMaskPixels = 50_000_000

/** How much of each pixel is marked: 0 for kept, 255 for changed. */
export interface Mask {
  readonly width: number
  readonly height: number
  readonly marked: Uint8Array
}

/** What a mask marks, and by what: its transparent pixels, or where it has none its light ones. */
export type MaskReading =
  | { readonly by: 'alpha' | 'white'; readonly mask: Mask }
  | { readonly by: 'nothing'; readonly why: string }

/** Reads a mask as servers and people make them; a coloured picture is none. */
export function toMask({ width, height, rgba }: Pixels): MaskReading {
  const marked = new Uint8Array(width * height)
  let [seen, colored, lightest] = [255, 0, 0]
  for (let i = 0, at = 0; i < marked.length; i++, at += 4) {
    const [r, g, b] = [rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0]
    seen = Math.min(seen, rgba[at + 3] ?? 255)
    if (Math.max(r, g, b) - Math.min(r, g, b) > 48) colored++
    lightest = Math.max(lightest, g)
    marked[i] = g
  }
  if (seen < 255) {
    for (let i = 0; i < marked.length; i++) marked[i] = 255 - (rgba[i * 4 + 3] ?? 255)
    return { by: 'alpha', mask: { width, height, marked } }
  }
  if (colored > marked.length / 50)
    return { by: 'nothing', why: 'is a coloured picture without transparency' }
  if (lightest < 128) return { by: 'nothing', why: 'is black all over, without transparency' }
  return { by: 'white', mask: { width, height, marked } }
}

/** A mask as a PNG: its marked pixels transparent in a black one, or white in a black one. */
export async function toMaskPng({ width, height, marked }: Mask, by: 'alpha' | 'white'): Promise<Uint8Array> {
  const { encode } = await import('fast-png')
  if (by === 'white') return encode({ width, height, depth: 8, channels: 1, data: marked })
  const data = new Uint8Array(width * height * 4)
  for (let i = 0; i < marked.length; i++) data[i * 4 + 3] = 255 - (marked[i] ?? 0)
  return encode({ width, height, depth: 8, channels: 4, data })
}

/** The mask for an image that was scaled: each pixel as the nearest one was. */
export function scaleMask(mask: Mask, { width, height }: Omit<Mask, 'marked'>): Mask {
  const marked = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * mask.height) / height) * mask.width
    for (let x = 0; x < width; x++)
      marked[y * width + x] = mask.marked[row + Math.floor(((x + 0.5) * mask.width) / width)] ?? 0
  }
  return { width, height, marked }
}
