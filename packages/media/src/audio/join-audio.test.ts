import { decodeAudio, encode } from '@capstan/speech'
import fc from 'fast-check'
import { parseBuffer } from 'music-metadata'
import { expect, test } from 'vitest'
import { cases } from '../../../../scripts/cases.mjs'
import { sampleRate, speechLike } from '../../test/recordings.js'
import { fromBytes, readBytes } from '../inputs/stored-bytes.js'
import { joinAudio as joinBlobs } from './join-audio.js'
import { wavDuration } from './wav.js'

interface Sound {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

async function joinAudio(sounds: readonly Sound[]): Promise<Sound> {
  const { mediaType, blob } = await joinBlobs(
    sounds.map(({ bytes, mediaType }) => ({ mediaType, blob: fromBytes(bytes).blob })),
  )
  return { mediaType, bytes: await readBytes({ blob }) }
}

const mp3Of = async (seconds: number) => ({
  mediaType: 'audio/mpeg',
  bytes: await encode({ samples: speechLike(seconds), sampleRate }, 'mp3'),
})
const wavOf = async (samples: number, rate = sampleRate) => ({
  mediaType: 'audio/wav',
  bytes: await encode({ samples: speechLike(2).subarray(0, samples), sampleRate: rate }, 'wav'),
})

test('joins any WAVs of one format: one header, all samples, summed durations', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 16_000 }), { minLength: 2, maxLength: 5 }),
      async (lengths) => {
        const parts = await Promise.all(lengths.map((samples) => wavOf(samples)))
        const { bytes } = await joinAudio(parts)
        expect(Buffer.concat(parts.map((part) => part.bytes.subarray(44))).equals(bytes.subarray(44))).toBe(
          true,
        )
        const seconds = lengths.reduce((sum, samples) => sum + samples, 0) / sampleRate
        expect(await wavDuration(fromBytes(bytes))).toBe(Math.round(seconds * 1000))
        expect((await parseBuffer(bytes)).format.duration).toBeCloseTo(seconds, 6)
      },
    ),
    { numRuns: cases(30) },
  )
})

test('joins any MP3s without tags and info frames, with summed durations', async () => {
  const [one, two] = [await mp3Of(1), await mp3Of(2)]
  const tag = Uint8Array.from([...Buffer.from('ID3'), 4, 0, 0, 0, 0, 1, 2, ...new Uint8Array(130)])
  const tail = Uint8Array.from([...Buffer.from('TAG'), ...new Uint8Array(125)])
  const tagged = { ...one, bytes: Uint8Array.from([...tag, ...one.bytes, ...tail]) }
  const pool = [one, two, tagged]
  const seconds = await Promise.all(pool.map(({ bytes }) => decodedSeconds(bytes)))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(2), { minLength: 2, maxLength: 4 }), async (picks) => {
      const { bytes } = await joinAudio(picks.map((pick) => pool[pick] ?? one))
      const sum = picks.reduce((total, pick) => total + (seconds[pick] ?? 0), 0)
      expect(Buffer.from(bytes).includes('ID3') || Buffer.from(bytes).includes('TAG')).toBe(false)
      expect(await decodedSeconds(bytes)).toBeCloseTo(sum, 1)
      const { format } = await parseBuffer(bytes, undefined, { duration: true })
      expect(format.duration).toBeCloseTo(sum, 0)
    }),
    { numRuns: cases(10) },
  )
})

async function decodedSeconds(bytes: Uint8Array): Promise<number> {
  const { samples, sampleRate } = await decodeAudio(bytes)
  return samples.length / sampleRate
}

test('joins raw samples one after another', async () => {
  const parts = [
    [1, 2],
    [3, 4],
  ].map((bytes) => ({ mediaType: 'audio/pcm', bytes: Uint8Array.from(bytes) }))
  expect(await joinAudio(parts)).toEqual({ mediaType: 'audio/pcm', bytes: Uint8Array.from([1, 2, 3, 4]) })
})

test('returns a single part unchanged', async () => {
  const sound = { mediaType: 'audio/ogg', bytes: Uint8Array.from([1]) }
  expect(await joinAudio([sound])).toEqual(sound)
})

test('rejects other containers and lists the supported ones', async () => {
  const sound = { mediaType: 'audio/ogg', bytes: Uint8Array.from([1]) }
  await expect(joinAudio([sound, sound])).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('in the format audio/ogg cannot be joined. Choose one of wav, mp3, pcm'),
  })
})

test.each<[string, () => Promise<{ mediaType: string; bytes: Uint8Array }[]>]>([
  ['two rates', async () => [await wavOf(100), await wavOf(100, 8000)]],
  ['two containers', async () => [await wavOf(100), await mp3Of(1)]],
  ['a broken part', async () => [await wavOf(100), { mediaType: 'audio/wav', bytes: new Uint8Array(50) }]],
])('rejects %s', async (_, parts) => {
  await expect(joinAudio(await parts())).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('have different formats'),
  })
})
