/** Sound of one channel. */
export interface Sound {
  readonly samples: Int16Array
  /** Samples per second. */
  readonly sampleRate: number
}

/** The sound as a WAV file: RIFF, PCM, 16 bits, one channel. */
export function encodeWav(sound: Sound): Uint8Array {
  const pcm = encodePcm(sound)
  const wav = new Uint8Array(headerSize + pcm.length)
  const header = new DataView(wav.buffer)
  const bytesPerSecond = 2 * sound.sampleRate
  putText(wav, 0, 'RIFF')
  header.setUint32(4, wav.length - 8, true)
  putText(wav, 8, 'WAVEfmt ')
  header.setUint32(16, 16, true)
  header.setUint16(20, 1, true)
  header.setUint16(22, 1, true)
  header.setUint32(24, sound.sampleRate, true)
  header.setUint32(28, bytesPerSecond, true)
  header.setUint16(32, 2, true)
  header.setUint16(34, 16, true)
  putText(wav, 36, 'data')
  header.setUint32(40, pcm.length, true)
  wav.set(pcm, headerSize)
  return wav
}

/** The bare samples, 16 bits each, little endian on every machine. */
export function encodePcm({ samples }: Sound): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(2 * samples.length))
  samples.forEach((sample, index) => {
    bytes.setInt16(2 * index, sample, true)
  })
  return new Uint8Array(bytes.buffer)
}

const headerSize = 44

function putText(bytes: Uint8Array, at: number, text: string): void {
  bytes.set(new TextEncoder().encode(text), at)
}
