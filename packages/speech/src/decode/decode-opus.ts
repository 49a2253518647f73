import { damaged } from './damaged.js'
import type { Stretch } from './stretch.js'

const sampleRate = 16_000
const packetsAtOnce = 50

/** The sound of Opus packets, after the head that says how many channels they have. */
export async function* decodeOpus(head: Uint8Array, packets: Iterable<Uint8Array>): AsyncGenerator<Stretch> {
  const { OpusDecoder } = await import('opus-decoder')
  const decoder = new OpusDecoder({ sampleRate, ...parseHead(head) })
  await decoder.ready
  try {
    for (const some of inGroups(packets, packetsAtOnce)) {
      const { channelData, errors } = decoder.decodeFrames(some)
      if (errors.length > 0) throw damaged('A packet of it is not Opus.')
      yield { channels: channelData, sampleRate }
    }
  } finally {
    decoder.free()
  }
}

function parseHead(head: Uint8Array) {
  const [channels = 0, skipLow = 0, skipHigh = 0] = [head[9], head[10], head[11]]
  if (head.length < 19 || channels < 1 || channels > 8) throw damaged('Its Opus head makes no sense.')
  // Counted at 48 000 samples per second, whatever comes out.
  const preSkip = Math.round(((skipLow + 256 * skipHigh) * sampleRate) / 48_000)
  // Up to two channels need no table, and have none.
  if (head[18] === 0) return { channels: Math.min(channels, 2), preSkip }
  const [streamCount = 0, coupledStreamCount = 0, ...table] = head.subarray(19, 21 + channels)
  const known = streamCount + coupledStreamCount
  if (table.length < channels || streamCount < 1 || coupledStreamCount > streamCount || known > 255)
    throw damaged('Its Opus head makes no sense.')
  if (table.some((source) => source >= known && source !== 255))
    throw damaged('Its Opus head makes no sense.')
  return { channels, preSkip, streamCount, coupledStreamCount, channelMappingTable: table }
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = []
  for (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}
