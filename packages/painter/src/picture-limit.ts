/** The largest picture that is read, in pixels: 4096 x 4096. */
const mostPixels = 4096 * 4096

/** What is wrong with the size that a picture's header announces, if anything; asked before it is decoded. */
export function sizeFault(width: number, height: number): string | undefined {
  if (width * height <= mostPixels) return undefined
  return `its ${width}x${height} pixels are too many; the limit is 4096x4096`
}
