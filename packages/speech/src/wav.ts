import { pcmFmt, wavHeader } from '@capstan/formats/wav'

/** Audio with one channel. */
export interface Sound {
  readonly samples: Int16Array
  /** Samples per second. */
  readonly sampleRate: number
}

/** Encodes audio as a WAV file (RIFF, PCM, 16 bits, one channel). */
export function encodeWav(sound: Sound): Uint8Array {
  const pcm = encodePcm(sound)
  return join([toWavHeader(sound.sampleRate, pcm.length), pcm], Uint8Array)
}

/** Returns the raw samples, 16 bits each, little endian. */
export function encodePcm({ samples }: Pick<Sound, 'samples'>): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(2 * samples.length))
  samples.forEach((sample, index) => {
    bytes.setInt16(2 * index, sample, true)
  })
  return new Uint8Array(bytes.buffer)
}

/** Returns the header of a WAV. If no size is given, the header is for a stream of unknown length. */
export function toWavHeader(sampleRate: number, size?: number): Uint8Array {
  return wavHeader(pcmFmt(sampleRate, 16), size)
}

/** Joins all parts into one array of the given type. */
export function join<Part extends Float32Array | Int16Array | Uint8Array>(
  parts: readonly Part[],
  Whole: new (length: number) => Part,
): Part {
  const whole = new Whole(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
