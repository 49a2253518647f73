import { join } from '../join.js'

/** A sound in one channel, changed to another rate as it comes. */
export interface Resampler {
  /** The next samples; gives those at the new rate that are known by now. */
  readonly push: (samples: Float32Array) => Float32Array
  /** Those that are still due when no more come. */
  readonly end: () => Float32Array
}

// Zero crossings of the sinc on either side; what lies above the lower rate's half is more than 60 dB down.
const crossings = 16

/** From one rate to another with a windowed sinc. Both are whole numbers of samples per second. */
export function createResampler(from: number, to: number): Resampler {
  if (from === to) return { push: (samples) => samples, end: () => new Float32Array() }
  const divisor = greatestCommonDivisor(from, to)
  const [phases, step] = [to / divisor, from / divisor]
  const kernels = toKernels(phases, Math.min(1, to / from))
  const reach = kernels.reach
  // As many zeros before the first sample as the first kernel reaches back.
  let held: Float32Array = new Float32Array(reach)
  let phase = 0
  const push = (samples: Float32Array): Float32Array => {
    const input = concat(held, samples)
    const count = Math.max(0, Math.ceil(((input.length - 2 * reach) * phases - phase) / step))
    const output = Float32Array.from({ length: count }, (_, index) => {
      const place = phase + index * step
      return convolve(input, Math.floor(place / phases), kernels.of(place % phases))
    })
    const next = phase + count * step
    phase = next % phases
    held = input.slice(Math.floor(next / phases))
    return output
  }
  return { push, end: () => push(new Float32Array(reach)) }
}

function concat(first: Float32Array, second: Float32Array): Float32Array {
  return join([first, second], Float32Array)
}

function convolve(input: Float32Array, at: number, kernel: Float32Array): number {
  let sum = 0
  for (let index = 0; index < kernel.length; index++) sum += (input[at + index] ?? 0) * (kernel[index] ?? 0)
  return sum
}

/** The sinc for each place between two samples, made when it is first needed. */
function toKernels(phases: number, cutoff: number) {
  const reach = Math.ceil(crossings / cutoff)
  const made = new Map<number, Float32Array>()
  const make = (phase: number) =>
    Float32Array.from({ length: 2 * reach }, (_, index) => {
      const distance = index - reach - phase / phases
      return cutoff * sinc(distance * cutoff) * window(distance / reach)
    })
  const of = (phase: number): Float32Array => {
    const kernel = made.get(phase) ?? make(phase)
    made.set(phase, kernel)
    return kernel
  }
  return { reach, of }
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

// Blackman: 1 in the middle, 0 at -1 and 1.
function window(x: number): number {
  return Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
