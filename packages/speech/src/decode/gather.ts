import { join } from '../join.js'
import { SpeechError } from '../speech-error.js'
import type { Sound } from '../wav.js'
import { damaged } from './damaged.js'
import { createResampler, type Resampler } from './resampler.js'
import type { Stretch } from './stretch.js'

export interface GatherOptions {
  /** Samples per second of the result; default 16 000. */
  readonly sampleRate?: number | undefined
  /** The longest sound that is read, in seconds; default 30 minutes. */
  readonly longest?: number | undefined
  /** Stops the work; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** All stretches as one sound of one channel and one rate, however they came. */
export async function gather(
  stretches: Iterable<Stretch> | AsyncIterable<Stretch>,
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
  if (!current) throw damaged('There is no sound in it.')
  parts.push(toIntegers(current.resampler.end()))
  return { samples: join(parts, Int16Array), sampleRate }
}

function checkRate(rate: number): number {
  if (Number.isInteger(rate) && rate >= 4000 && rate <= 192_000) return rate
  const message = `The sound has ${rate} samples per second; from 4000 to 192000 are understood.`
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

// Loudest is as loud as it gets: what goes beyond is cut off, and what is no number is silence.
function toIntegers(samples: Float32Array): Int16Array {
  return Int16Array.from(
    samples,
    (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))) || 0,
  )
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
