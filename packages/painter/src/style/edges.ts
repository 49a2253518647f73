import type { Canvas } from '../canvas.js'

/** How much the colour changes at each pixel, 0 for not at all; `reach` in pixels is how wide a step is looked at. */
export function edgesOf({ width, height, data }: Canvas, reach: number): Float32Array {
  const step = Math.max(1, Math.round(reach))
  const edges = new Float32Array(width * height)
  for (let y = 0; y < height; y++) {
    const above = Math.max(0, y - step) * width
    const below = Math.min(height - 1, y + step) * width
    for (let x = 0; x < width; x++) {
      const left = (y * width + Math.max(0, x - step)) * 3
      const right = (y * width + Math.min(width - 1, x + step)) * 3
      let sum = 0
      for (let c = 0; c < 3; c++) {
        const across = (data[right + c] ?? 0) - (data[left + c] ?? 0)
        const down = (data[(below + x) * 3 + c] ?? 0) - (data[(above + x) * 3 + c] ?? 0)
        sum += across * across + down * down
      }
      edges[y * width + x] = Math.sqrt(sum)
    }
  }
  return edges
}

/** Spreads values over their surroundings: three runs of a mean come close to a soft glow. */
export function blurred(values: Float32Array, { width, height }: Canvas, reach: number): Float32Array {
  const side = Math.max(1, Math.round(reach))
  let result = values
  for (let run = 0; run < 3; run++) {
    result = mean(result, { lines: height, length: width, along: 1, across: width }, side)
    result = mean(result, { lines: width, length: height, along: width, across: 1 }, side)
  }
  return result
}

interface Walk {
  readonly lines: number
  readonly length: number
  /** Steps in the array to the next of a line, and to the next line. */
  readonly along: number
  readonly across: number
}

function mean(values: Float32Array, { lines, length, along, across }: Walk, side: number): Float32Array {
  const result = new Float32Array(values.length)
  for (let line = 0; line < lines; line++) {
    const start = line * across
    const at = (i: number): number => values[start + Math.min(length - 1, Math.max(0, i)) * along] ?? 0
    let sum = 0
    for (let i = -side; i <= side; i++) sum += at(i)
    for (let i = 0; i < length; i++) {
      result[start + i * along] = sum / (2 * side + 1)
      sum += at(i + side + 1) - at(i - side)
    }
  }
  return result
}
