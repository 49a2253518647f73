import { ByteReader } from '../inputs/byte-reader.js'
import { loudnessOf } from './loudness-of.js'
import type { Piece, PieceSize, Pieces, Recording } from './pieces.js'
import { type Frame, type PlannedPiece, planPieces } from './plan-pieces.js'
import { openStretches } from './stretches.js'
import { readWavFormat, toWavHeader, type WavFormat } from './wav-format.js'

/** A WAV in pieces, read twice and never held as a whole: for its pauses, then for its sound. Undefined for no WAV. */
export async function wavPieces(recording: Recording, size: PieceSize): Promise<Pieces | undefined> {
  const reader = new ByteReader(await recording.open())
  try {
    const format = await readWavFormat(reader, recording.artifact.bytes)
    if (!format) return undefined
    const frames = await readFrames(reader, format)
    const maxBytes = size.maxBytes - toWavHeader(format, 0).length
    const plan = planPieces(frames, { ...size, maxBytes, quietShare: 0.2 })
    const seconds = format.soundBytes / format.bytesPerSecond
    return { of: plan.length, seconds, each: () => cut(recording, format, plan) }
  } finally {
    await reader.close()
  }
}

const frameSeconds = 0.05

/** As many bytes as a frame has, the last one excepted. */
function frameBytes({ bytesPerSecond, bytesPerBlock }: WavFormat): number {
  return Math.max(1, Math.round((bytesPerSecond * frameSeconds) / bytesPerBlock)) * bytesPerBlock
}

/** Read many at a time: a recording of few bytes a second has millions of them. */
async function readFrames(reader: ByteReader, format: WavFormat): Promise<Frame[]> {
  const frames: Frame[] = []
  const most = frameBytes(format)
  const window = new Uint8Array(most * Math.ceil(windowBytes / most))
  for (let left = format.soundBytes; left > 0; ) {
    const filled = await reader.fill(window.subarray(0, left))
    if (filled === 0) break
    for (let at = 0; at < filled; at += most) {
      const frame = window.subarray(at, Math.min(at + most, filled))
      const seconds = frame.length / format.bytesPerSecond
      frames.push({ bytes: frame.length, seconds, loudness: loudnessOf(frame, format) })
    }
    left -= filled
  }
  return frames
}

const windowBytes = 64 * 1024

async function* cut(
  recording: Recording,
  format: WavFormat,
  plan: readonly PlannedPiece[],
): AsyncGenerator<Piece> {
  const { soundAt, soundBytes, bytesPerSecond } = format
  const frame = frameBytes(format)
  const stretches = await openStretches(recording)
  try {
    for (const [i, { from, to, overlaps }] of plan.entries()) {
      const begin = from * frame
      const end = Math.min(to * frame, soundBytes)
      const sound = await stretches.take(soundAt + begin, soundAt + end)
      const header = toWavHeader(format, sound.size) as Uint8Array<ArrayBuffer>
      const name = `${recording.artifact.id}-${i + 1}.wav`
      const file = new File([header, sound], name, { type: 'audio/wav' })
      yield {
        number: i + 1,
        file,
        overlaps,
        at: begin / bytesPerSecond,
        seconds: sound.size / bytesPerSecond,
      }
    }
  } finally {
    await stretches.close()
  }
}
