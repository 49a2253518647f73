import { blankPicture, type Picture } from './picture.js'

/** Resizes an image. Averages pixels if it gets smaller, and interpolates smoothly if it gets larger. */
export function resizePicture(
  picture: Picture,
  size: { readonly width: number; readonly height: number },
): Picture {
  if (size.width === picture.width && size.height === picture.height) return picture
  const across = toPixelWeights(picture.width, size.width)
  const down = toPixelWeights(picture.height, size.height)
  const result = { ...picture, ...blankPicture(size.width, size.height) }
  for (const [y, rows] of down.entries()) {
    for (const [x, columns] of across.entries()) {
      result.pixels.set(sampled(picture, columns, rows), (y * size.width + x) * 4)
    }
  }
  return result
}

/** A source pixel, and its share of a result pixel. */
interface PixelWeight {
  readonly at: number
  readonly share: number
}

/** Returns the source pixels for each pixel in a row or column of the result. */
function toPixelWeights(from: number, to: number): PixelWeight[][] {
  const step = from / to
  // The weights form a triangle as wide as a result pixel, and at least as wide as a source pixel.
  const reach = Math.max(1, step)
  return Array.from({ length: to }, (_, i) => {
    const center = (i + 0.5) * step - 0.5
    const taps: PixelWeight[] = []
    for (let at = Math.ceil(center - reach); at <= center + reach; at++) {
      const share = 1 - Math.abs(at - center) / reach
      if (share > 0) taps.push({ at: Math.min(from - 1, Math.max(0, at)), share })
    }
    const total = taps.reduce((sum, tap) => sum + tap.share, 0)
    return taps.map((tap) => ({ at: tap.at, share: tap.share / total }))
  })
}

/** Weights colours by alpha, so that the invisible colour of transparent pixels does not spread. */
function sampled(
  { width, pixels }: Picture,
  columns: readonly PixelWeight[],
  rows: readonly PixelWeight[],
): [number, number, number, number] {
  let [r, g, b, alpha] = [0, 0, 0, 0]
  for (const row of rows) {
    for (const column of columns) {
      const i = (row.at * width + column.at) * 4
      const weight = row.share * column.share * (pixels[i + 3] ?? 0)
      r += (pixels[i] ?? 0) * weight
      g += (pixels[i + 1] ?? 0) * weight
      b += (pixels[i + 2] ?? 0) * weight
      alpha += weight
    }
  }
  return alpha > 0
    ? [Math.round(r / alpha), Math.round(g / alpha), Math.round(b / alpha), Math.round(alpha)]
    : [0, 0, 0, 0]
}
