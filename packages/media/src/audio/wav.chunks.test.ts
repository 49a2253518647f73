import { type Artifact, memoryArtifacts } from '@capstan/core'
import { encodeWav } from '@capstan/speech'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { inBlocks, microtasksOf } from '../../test/microtasks.js'
import { fromBytes } from '../inputs/stored-bytes.js'
import type { Recording } from './plan-chunks.js'
import { wavChunks, wavDuration } from './wav.js'

const rate = 8000

/** Words of sound with pauses between them. */
function speech(seconds: number, pause = 0.5): Int16Array {
  return Int16Array.from({ length: seconds * rate }, (_, i) =>
    (i / rate) % 4 < 4 - pause ? Math.round(9000 * Math.sin(i / 5) * Math.sin(i / 777)) : 0,
  )
}

async function recordingOf(bytes: Uint8Array): Promise<Recording> {
  const store = memoryArtifacts()
  const artifact: Artifact = await store.put(bytes, { kind: 'audio', mediaType: 'audio/wav' })
  return { artifact, open: () => store.open(artifact.id) }
}

/** All chunks, the new part of each, and their durations. */
async function cutUp(bytes: Uint8Array, size: { maxBytes: number; maxSeconds: number }) {
  const chunks = await wavChunks(await recordingOf(bytes), size)
  if (!chunks) throw new Error('no WAV')
  let sound = Buffer.alloc(0)
  const all: { at: number; seconds: number; bytes: number; overlaps: boolean; told: number | undefined }[] =
    []
  for await (const { file, at, seconds, overlaps } of chunks.each()) {
    const content = new Uint8Array(await file.arrayBuffer())
    const known = sound.length - Math.round(at * rate) * 2
    sound = Buffer.concat([sound, content.subarray(44 + known)])
    all.push({ at, seconds, overlaps, bytes: file.size, told: await wavDuration(fromBytes(content)) })
  }
  return { pieces: chunks, all, sound }
}

test('returns WAV chunks, split at pauses, that contain all audio once', async () => {
  const wav = encodeWav({ samples: speech(60), sampleRate: rate })
  const { pieces: chunks, all, sound } = await cutUp(wav, { maxBytes: 400_000, maxSeconds: 1000 })
  expect(sound.equals(wav.subarray(44))).toBe(true)
  expect(chunks).toMatchObject({ of: 3, seconds: 60 })
  expect(all).toHaveLength(3)
  for (const { at, seconds, bytes, overlaps, told } of all) {
    expect(bytes).toBeLessThanOrEqual(400_000)
    expect(overlaps).toBe(false)
    expect(told).toBe(Math.round(seconds * 1000))
    if (at > 0) expect(at % 4).toBeCloseTo(3.75, 0)
  }
})

test('overlaps chunks of audio without a pause', async () => {
  const wav = encodeWav({ samples: speech(60, 0), sampleRate: rate })
  const { all, sound } = await cutUp(wav, { maxBytes: 10e6, maxSeconds: 25 })
  expect(all.map(({ overlaps }) => overlaps)).toEqual([false, true, true])
  expect(sound.equals(wav.subarray(44))).toBe(true)
})

test.each<[string, number, (bytes: Buffer) => void]>([
  ['the greatest length there is', 0, (bytes) => bytes.writeUInt32LE(0xffffffff, 40)],
  ['no length', 0, (bytes) => bytes.writeUInt32LE(0, 40)],
  ['more than there is', 0, (bytes) => bytes.writeUInt32LE(99_000_000, 40)],
  ['a false number of bytes for a second', 0, (bytes) => bytes.writeUInt32LE(1, 28)],
])('ignores a header that declares %s', async (_, __, lie) => {
  const wav = encodeWav({ samples: speech(20), sampleRate: rate })
  const lying = Buffer.from(wav)
  lie(lying)
  const { pieces: chunks, sound } = await cutUp(lying, { maxBytes: 10e6, maxSeconds: 12 })
  expect(chunks).toMatchObject({ of: 2, seconds: 20 })
  expect(sound.equals(wav.subarray(44))).toBe(true)
})

test('contains all audio once for any size limit', async () => {
  const wav = encodeWav({ samples: speech(12), sampleRate: rate })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 10_000, max: 200_000 }),
      fc.double({ min: 1, max: 13, noNaN: true }),
      async (maxBytes, maxSeconds) => {
        const { all, sound } = await cutUp(wav, { maxBytes, maxSeconds })
        expect(sound.equals(wav.subarray(44))).toBe(true)
        expect(Math.max(...all.map(({ bytes }) => bytes))).toBeLessThanOrEqual(maxBytes)
        expect(Math.max(...all.map(({ seconds }) => seconds))).toBeLessThanOrEqual(maxSeconds + 1e-9)
      },
    ),
    { numRuns: cases(40) },
  )
})

test('takes as many steps as blocks for a recording with few bytes per second', async () => {
  const wav = Buffer.concat([
    encodeWav({ samples: new Int16Array(8), sampleRate: 125 }),
    Buffer.alloc(2 ** 20),
  ])
  wav.writeUInt32LE(2 ** 20, 40)
  const { artifact } = await recordingOf(wav)
  const recording: Recording = { artifact, open: async () => inBlocks(wav).stream() }
  const steps = await microtasksOf(async () => {
    const chunks = await wavChunks(recording, { maxBytes: 2 ** 19, maxSeconds: 10_000 })
    expect(chunks?.seconds).toBe(2 ** 20 / 250)
  })
  expect(steps).toBeLessThan(5000)
})
