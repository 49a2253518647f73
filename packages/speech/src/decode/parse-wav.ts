import { damaged } from './damaged.js'
import type { Stretch } from './stretch.js'
import { type SampleFormat, toSampleReader } from './wav-samples.js'

const blockSize = 65_536

/** The sound of a WAV file, block by block. Throws an `invalid_audio` error when it is cut off or makes no sense. */
export function* parseWav(bytes: Uint8Array): Generator<Stretch> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const format = parseFormat(view, findChunk(view, 'fmt '))
  const read = toSampleReader(format)
  const data = findChunk(view, 'data')
  const { channelCount, sampleRate } = format
  const frameSize = channelCount * (format.bits / 8)
  const frames = Math.floor(data.size / frameSize)
  for (let first = 0; first < frames; first += blockSize) {
    const length = Math.min(blockSize, frames - first)
    const channels = Array.from({ length: channelCount }, (_, channel) => {
      const start = data.start + first * frameSize + (channel * format.bits) / 8
      return Float32Array.from({ length }, (_, index) => read(view, start + index * frameSize))
    })
    yield { channels, sampleRate }
  }
}

interface Chunk {
  readonly start: number
  readonly size: number
}

// What programs write that do not know how long the sound will be.
const unknownSize = 0x7fff_f000

function findChunk(view: DataView, name: string): Chunk {
  let at = 12
  while (at + 8 <= view.byteLength) {
    const start = at + 8
    const size = view.getUint32(at + 4, true)
    const rest = view.byteLength - start
    if (textAt(view, at) === name) {
      if (size <= rest) return { start, size }
      if (name === 'data' && size >= unknownSize) return { start, size: rest }
      throw damaged(`It announces ${size} bytes of "${name.trim()}" and has ${rest}.`)
    }
    at = start + size + (size % 2)
  }
  throw damaged(`It has no part called "${name.trim()}".`)
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4))
}

const extensible = 0xfffe

function parseFormat(view: DataView, { start, size }: Chunk): SampleFormat & { sampleRate: number } {
  if (size < 16) throw damaged('Its description of the samples is too short.')
  const number = (at: number) => view.getUint16(start + at, true)
  const tag = number(0) === extensible && size >= 26 ? number(24) : number(0)
  const channelCount = number(2)
  if (channelCount < 1 || channelCount > 8) throw damaged(`It says that it has ${channelCount} channels.`)
  return { tag, channelCount, sampleRate: view.getUint32(start + 4, true), bits: number(14) }
}
