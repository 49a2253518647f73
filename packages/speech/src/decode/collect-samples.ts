import { SpeechError } from '../speech-error.js'
import { join, type Sound } from '../wav.js'

export interface GatherOptions {
  /** The sample rate of the result. Default: 16 000 per second. */
  readonly sampleRate?: number | undefined
  /** Maximum length in seconds. Default: 30 minutes. */
  readonly longest?: number | undefined
  /** Stops the work. The promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Converts blocks with any number of channels and any sample rate to mono audio with one rate. */
export async function collectSamples(
  stretches: Iterable<AudioBlock> | AsyncIterable<AudioBlock>,
  { sampleRate = 16_000, longest = 30 * 60, signal }: GatherOptions,
): Promise<Sound> {
  const parts: Int16Array[] = []
  let current: { readonly rate: number; readonly resampler: Resampler } | undefined
  let seconds = 0
  for await (const { channels, sampleRate: rate } of stretches) {
    await nextTurn()
    signal?.throwIfAborted()
    seconds += (channels[0]?.length ?? 0) / checkRate(rate)
    if (seconds > longest) throw tooLong(longest)
    if (current?.rate !== rate) {
      if (current) parts.push(toIntegers(current.resampler.end()))
      current = { rate, resampler: createResampler(rate, sampleRate) }
    }
    parts.push(toIntegers(current.resampler.push(mix(channels))))
  }
  if (!current) throw damagedAudio('It contains no audio.')
  parts.push(toIntegers(current.resampler.end()))
  return { samples: join(parts, Int16Array), sampleRate }
}

function checkRate(rate: number): number {
  if (Number.isInteger(rate) && rate >= 4000 && rate <= 192_000) return rate
  const message = `The audio has ${rate} samples per second. The rate must be between 4000 and 192000.`
  throw new SpeechError('unsupported_audio', message)
}

function tooLong(longest: number): SpeechError {
  const message = `The audio is longer than ${longest / 60} minutes. Send it in parts.`
  return new SpeechError('audio_too_long', message)
}

function mix(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = channels
  if (others.length === 0) return first
  return first.map(
    (sample, at) => others.reduce((sum, other) => sum + (other[at] ?? 0), sample) / channels.length,
  )
}

// Clips samples beyond full scale, and replaces NaN with silence.
function toIntegers(samples: Float32Array): Int16Array {
  return Int16Array.from(
    samples,
    (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))) || 0,
  )
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Resamples mono audio while it arrives. */
interface Resampler {
  /** Accepts the next samples. Returns the samples that are finished at the new rate. */
  readonly push: (samples: Float32Array) => Float32Array
  /** Returns the remaining samples. Call it at the end. */
  readonly end: () => Float32Array
}

// How many zero crossings of the sinc are used on either side. Frequencies above half the lower rate are attenuated by
// more than 60 dB.
const crossings = 16

/** Converts between two integer sample rates, with a windowed sinc. */
function createResampler(from: number, to: number): Resampler {
  if (from === to) return { push: (samples) => samples, end: () => new Float32Array() }
  const divisor = greatestCommonDivisor(from, to)
  const [phases, step] = [to / divisor, from / divisor]
  const kernels = toKernels(phases, Math.min(1, to / from))
  const reach = kernels.reach
  // The first kernel also covers positions before the first sample. Their values are zero.
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

/** Returns the sinc kernel for each fractional position. Kernels are created when they are first used. */
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

// A Blackman window, which is 1 in the middle and 0 at -1 and 1.
function window(x: number): number {
  return Math.abs(x) >= 1 ? 0 : 0.42 + 0.5 * Math.cos(Math.PI * x) + 0.08 * Math.cos(2 * Math.PI * x)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

/** A block of decoded samples. */
export interface AudioBlock {
  /** One array per channel. All arrays have the same length, and values from -1 to 1. */
  readonly channels: readonly Float32Array[]
  /** Samples per second. */
  readonly sampleRate: number
}

/** Returns the error for a truncated or damaged file. `why` must be a full sentence. */
export function damagedAudio(why: string): SpeechError {
  return new SpeechError('invalid_audio', `The audio cannot be read. ${why} Send the entire file again.`)
}
