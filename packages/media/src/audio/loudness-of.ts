import type { WavFormat } from './wav-format.js'

/** How loud a stretch of samples is, from 0 to about 1; undefined for encodings that are not read. */
export function loudnessOf(bytes: Uint8Array, format: WavFormat): number | undefined {
  const read = reader(format)
  if (!read) return undefined
  const width = format.bitsPerSample / 8
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = Math.floor(bytes.length / width)
  const step = Math.max(1, Math.floor(count / enough))
  let sum = 0
  let seen = 0
  for (let i = 0; i < count; i += step, seen++) sum += read(view, i * width) ** 2
  return seen === 0 ? 0 : Math.sqrt(sum / seen)
}

/** Samples that are looked at in one stretch: more of them tell the same. */
const enough = 256

type ReadSample = (view: DataView, at: number) => number

function reader({ encoding, bitsPerSample }: WavFormat): ReadSample | undefined {
  return readers[`${encoding}${bitsPerSample}`]
}

const readers: Readonly<Record<string, ReadSample>> = {
  integer8: (view, at) => (view.getUint8(at) - 128) / 2 ** 7,
  integer16: (view, at) => view.getInt16(at, true) / 2 ** 15,
  integer24: (view, at) => view.getInt16(at + 1, true) / 2 ** 15,
  integer32: (view, at) => view.getInt32(at, true) / 2 ** 31,
  float32: (view, at) => view.getFloat32(at, true),
  float64: (view, at) => view.getFloat64(at, true),
}
