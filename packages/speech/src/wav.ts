/** Sound of one channel. */
export interface Sound {
  readonly samples: Int16Array
  /** Samples per second. */
  readonly sampleRate: number
}

/** Encodes a sound as a WAV file: RIFF, PCM, 16 bits, one channel. */
export function encodeWav(sound: Sound): Uint8Array {
  const pcm = encodePcm(sound)
  return join([toWavHeader(sound.sampleRate, pcm.length), pcm], Uint8Array)
}

/** Returns the bare samples, 16 bits each, little endian on every machine. */
export function encodePcm({ samples }: Pick<Sound, 'samples'>): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(2 * samples.length))
  samples.forEach((sample, index) => {
    bytes.setInt16(2 * index, sample, true)
  })
  return new Uint8Array(bytes.buffer)
}

const headerSize = 44
const greatest = 2 ** 32 - 1

/** Returns the header of a WAV. Without a size it is the header of a stream of unknown length. */
export function toWavHeader(sampleRate: number, size = greatest): Uint8Array {
  const bytes = new Uint8Array(headerSize)
  const header = new DataView(bytes.buffer)
  putText(bytes, 0, 'RIFF')
  header.setUint32(4, Math.min(size + headerSize - 8, greatest), true)
  putText(bytes, 8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, sampleRate, true)
  header.setUint32(28, 2 * sampleRate, true)
  header.setUint16(32, 2, true)
  header.setUint16(34, 16, true)
  putText(bytes, 36, 'data')
  header.setUint32(40, size, true)
  return bytes
}

function putText(bytes: Uint8Array, at: number, text: string): void {
  bytes.set(new TextEncoder().encode(text), at)
}

/** Concatenates all parts in one array of the given kind. */
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
