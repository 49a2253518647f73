/** A picture in memory: rows from the top, four bytes a pixel (red, green, blue, straight alpha). */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8ClampedArray
}

/** A fully transparent black picture. */
export function blankPicture(width: number, height: number): Picture {
  return { width, height, pixels: new Uint8ClampedArray(width * height * 4) }
}
