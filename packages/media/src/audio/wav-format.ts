import { ByteReader } from '../inputs/byte-reader.js'
import type { Held } from '../inputs/held.js'

/** What the header of a WAV says. */
export interface WavFormat {
  /** The chunk `fmt ` as it is, to be written again. */
  readonly fmt: Uint8Array
  readonly encoding: 'integer' | 'float' | 'other'
  readonly bitsPerSample: number
  /** Samples that sound at one time are a block; cuts fall between blocks. */
  readonly bytesPerBlock: number
  readonly bytesPerSecond: number
  /** Where the sound begins, and how many bytes of it are there, whatever the header says. */
  readonly soundAt: number
  readonly soundBytes: number
}

/** Reads up to where the sound begins; undefined for what is no WAV, or has no sound. `size` is that of the file. */
export async function readWavFormat(reader: ByteReader, size: number): Promise<WavFormat | undefined> {
  const riff = await reader.take(12)
  if (!/^(RIFF|RF64)$/.test(nameAt(riff, 0)) || nameAt(riff, 8) !== 'WAVE') return undefined
  let fmt: Uint8Array = new Uint8Array()
  for (let at = 12, chunks = 0; chunks < mostChunks; chunks++) {
    const head = await reader.take(8)
    if (head.length < 8) return undefined
    const [name, length] = [nameAt(head, 0), viewOf(head).getUint32(4, true)]
    if (name === 'data') return toFormat(fmt, { soundAt: at + 8, said: length, there: size - at - 8 })
    const padded = length + (length % 2)
    if (name === 'fmt ' && length <= greatestFmt) fmt = (await reader.take(padded)).subarray(0, length)
    else if ((await reader.skip(padded)) < padded) return undefined
    at += 8 + padded
  }
  return undefined
}

/** More than a writer puts before the sound: millions of empty ones would take long. */
const mostChunks = 100_000

/** How long a WAV sounds, in milliseconds; undefined for bytes that are no WAV. */
export async function wavDuration(held: Held): Promise<number | undefined> {
  const reader = new ByteReader(held.stream())
  const format = await readWavFormat(reader, held.blob.size)
  await reader.close()
  return format && Math.round((format.soundBytes / format.bytesPerSecond) * 1000)
}

/** What stands before the sound of a WAV of this format. */
export function toWavHeader({ fmt }: WavFormat, soundBytes: number): Uint8Array {
  const header = new Uint8Array(28 + fmt.length)
  const view = viewOf(header)
  const put = (at: number, name: string) => header.set(new TextEncoder().encode(name), at)
  put(0, 'RIFF')
  view.setUint32(4, header.length - 8 + soundBytes, true)
  put(8, 'WAVEfmt ')
  view.setUint32(16, fmt.length, true)
  header.set(fmt, 20)
  put(20 + fmt.length, 'data')
  view.setUint32(24 + fmt.length, soundBytes, true)
  return header
}

/** Real ones have 16, 18 or 40 bytes, compressed ones a few more. */
const greatestFmt = 1024

interface Sound {
  readonly soundAt: number
  readonly said: number
  readonly there: number
}

function toFormat(fmt: Uint8Array, { soundAt, said, there }: Sound): WavFormat | undefined {
  if (fmt.length < 16 || there <= 0) return undefined
  const view = viewOf(fmt)
  const tag = view.getUint16(0, true)
  const sub = tag === extensible && fmt.length >= 26 ? view.getUint16(24, true) : tag
  const encoding = sub === 1 ? 'integer' : sub === 3 ? 'float' : 'other'
  const bytesPerBlock = view.getUint16(12, true)
  const rate = view.getUint32(4, true)
  // Writers lie about the bytes of a second more often than about rate and block.
  const bytesPerSecond = encoding === 'other' ? view.getUint32(8, true) : rate * bytesPerBlock
  // Beyond what any sound has, a second would be millions of pieces, or none.
  if (bytesPerBlock === 0 || bytesPerSecond < 250 || bytesPerSecond > 2 ** 28) return undefined
  // A stream's header gives a length that is not known yet: 0, or the greatest there is.
  const soundBytes = said === 0 ? there : Math.min(said, there)
  const bitsPerSample = view.getUint16(14, true)
  return { fmt, encoding, bitsPerSample, bytesPerBlock, bytesPerSecond, soundAt, soundBytes }
}

const extensible = 0xfffe

function nameAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
