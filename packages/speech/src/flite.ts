import { loadFlite } from './flite-module.js'
import { runProgram } from './wasi.js'

export interface Utterance {
  /** Printable ASCII with at least one letter or digit; one sentence, since all of it is held in memory at once. */
  readonly text: string
  /** The name of a voice that exists; any other is spoken by `kal`. */
  readonly voice: string
  readonly speed: number
}

/** Speaks one sentence and returns its samples, at the rate of its voice. */
export async function speak({ text, voice, speed }: Utterance): Promise<Int16Array> {
  const stretch = `duration_stretch=${1 / speed}`
  const args = ['flite', '-voice', voice, '--setf', stretch, '-o', 'speech.wav', '-t', text]
  return toSamples(await runProgram(await loadFlite(), args))
}

/** Flite writes the plain 44-byte header, then 16-bit samples, little endian. */
function toSamples(wav: Uint8Array): Int16Array {
  const data = new DataView(wav.buffer, 44)
  return Int16Array.from({ length: data.byteLength / 2 }, (_, index) => data.getInt16(2 * index, true))
}
