/** A picture with a hole. */
export interface Raster {
  readonly width: number
  readonly height: number
  /** Three numbers a pixel; those in the hole are the current guess. */
  readonly image: Float32Array
  /** 1 for a missing pixel. */
  readonly hole: Uint8Array
}

/** A raster and, for what is missing in it, the known pixel each pixel is taken from. */
export interface Level extends Raster {
  /** The pixels whose surroundings reach into the hole. */
  readonly targets: Int32Array
  /** The pixels whose surroundings are all known. */
  readonly sources: Int32Array
  readonly isSource: Uint8Array
  /** For each target the source whose surroundings look most like its own; -1 elsewhere. */
  readonly match: Int32Array
  /** How much the two differ. */
  readonly cost: Float32Array
}

/** A pixel's surroundings reach this far to each side. */
export const reach = 3

/** A level of a raster; its matches are yet to be found. */
export function toLevel(raster: Raster): Level {
  const { width, height, hole } = raster
  const nearHole = dilated(raster)
  const isSource = new Uint8Array(hole.length)
  for (let y = reach; y < height - reach; y++) {
    for (let x = reach; x < width - reach; x++) isSource[y * width + x] = nearHole[y * width + x] ? 0 : 1
  }
  return {
    ...raster,
    targets: indicesOf(nearHole),
    sources: indicesOf(isSource),
    isSource,
    match: new Int32Array(hole.length).fill(-1),
    cost: new Float32Array(hole.length),
  }
}

function dilated({ width, height, hole }: Raster): Uint8Array {
  const across = new Uint8Array(hole.length)
  const result = new Uint8Array(hole.length)
  for (let i = 0; i < hole.length; i++) {
    const x = i % width
    for (let d = -Math.min(reach, x); d <= Math.min(reach, width - 1 - x); d++) if (hole[i + d]) across[i] = 1
  }
  for (let i = 0; i < hole.length; i++) {
    const y = Math.floor(i / width)
    for (let d = -Math.min(reach, y); d <= Math.min(reach, height - 1 - y); d++)
      if (across[i + d * width]) result[i] = 1
  }
  return result
}

function indicesOf(flags: Uint8Array): Int32Array {
  const found: number[] = []
  for (let i = 0; i < flags.length; i++) if (flags[i]) found.push(i)
  return Int32Array.from(found)
}
