import { FLACDecoder } from '@wasm-audio-decoders/flac'
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { MPEGDecoder } from 'mpg123-decoder'
import { describe, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { join, type Sound } from '../wav.js'
import { audioFormats, createEncoder, encode, toMediaType } from './create-encoder.js'

const sampleRate = 16_000
const second = toTone(sampleRate)

describe.each(Object.keys(audioFormats))('%s', (format) => {
  test('the same samples always give the same bytes', async () => {
    const sound = { samples: second, sampleRate }
    expect(Buffer.compare(await encode(sound, format), await encode(sound, format))).toBe(0)
  })

  test('pieces of any size give the same bytes', async () => {
    const whole = await encodePieces(format, second, second.length)
    for (const size of [1000, 4096, 9001]) {
      expect(Buffer.compare(await encodePieces(format, second, size), whole)).toBe(0)
    }
  })

  test('a long piece gives bytes before the end', async () => {
    const encoder = await createEncoder(format, sampleRate)
    expect(encoder.encode(second).length).toBeGreaterThan(1000)
    encoder.finish()
  })

  test('encodes zero samples', async () => {
    await encode({ samples: new Int16Array(), sampleRate }, format)
  })
})

test.each<[string, Int16Array]>([
  ['a tone', second],
  ['silence', new Int16Array(10_000)],
  ['the loudest noise', toNoise(20_000)],
  ['one sample', Int16Array.of(-32_768)],
  ['five samples', Int16Array.of(1, -2, 32_767, -32_768, 5)],
  ['a length that is no number of blocks', toNoise(3 * 4096 + 17)],
])('flac is lossless for %s', (_, samples) => isLossless(samples))

slowTest('flac is lossless for more than 128 blocks', () => isLossless(toNoise(140 * 4096)))

async function isLossless(samples: Int16Array): Promise<void> {
  const decoded = await decodeFlac(await encode({ samples, sampleRate }, 'flac'))
  expect(decoded.sampleRate).toBe(sampleRate)
  expect(Buffer.from(decoded.samples.buffer).equals(Buffer.from(samples.buffer))).toBe(true)
}

test('flac supports any rate and is smaller than the samples', async () => {
  const bytes = await encode({ samples: second, sampleRate: 8000 }, 'flac')
  expect((await decodeFlac(bytes)).sampleRate).toBe(8000)
  expect(bytes.length).toBeLessThan(second.length)
})

test.each(some([8000, 16_000]))('mp3 at %i samples per second keeps loudness and length', async (rate) => {
  const decoder = new MPEGDecoder()
  await decoder.ready
  const { channelData, sampleRate } = decoder.decode(
    await encode({ samples: second, sampleRate: rate }, 'mp3'),
  )
  decoder.free()
  expect(sampleRate).toBe(rate)
  expectTone(channelData[0])
})

test.each(some([8000, 16_000]))('ogg at %i samples per second keeps loudness and length', async (rate) => {
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  const { channelData, sampleRate } = await decoder.decodeFile(
    await encode({ samples: second, sampleRate: rate }, 'ogg'),
  )
  decoder.free()
  expect(sampleRate).toBe(rate)
  expectTone(channelData[0])
})

test('a streamed wav has the maximum length in its header, a whole one its own', async () => {
  const streamed = new DataView((await encodePieces('wav', second, 1000)).buffer)
  const whole = new DataView((await encode({ samples: second, sampleRate }, 'wav')).buffer)
  expect([streamed.getUint32(40, true), whole.getUint32(40, true)]).toEqual([2 ** 32 - 1, 32_000])
  expect(Buffer.compare(new Uint8Array(streamed.buffer, 44), new Uint8Array(whole.buffer, 44))).toBe(0)
})

test.each(['opus', 'aac', '', 'constructor'])(
  'rejects the format %j and lists the valid ones',
  async (format) => {
    const failing = createEncoder(format, sampleRate)
    await expect(failing).rejects.toMatchObject({ name: 'SpeechError', code: 'unsupported_format' })
    await expect(failing).rejects.toThrow(
      `There is no format "${format}". Use one of: wav, pcm, flac, mp3, ogg.`,
    )
  },
)

test('the media type of bare samples contains rate and channels', () => {
  expect(toMediaType('pcm', 8000)).toBe('audio/pcm;rate=8000;channels=1')
  expect(toMediaType('mp3', 8000)).toBe('audio/mpeg')
})

async function encodePieces(format: string, samples: Int16Array, size: number): Promise<Uint8Array> {
  const encoder = await createEncoder(format, sampleRate)
  const parts: Uint8Array[] = []
  for (let at = 0; at < samples.length; at += size)
    parts.push(encoder.encode(samples.subarray(at, at + size)))
  return join([...parts, encoder.finish()], Uint8Array)
}

// This decoder scales by 32 767.
async function decodeFlac(bytes: Uint8Array): Promise<Sound> {
  const decoder = new FLACDecoder()
  await decoder.ready
  const { channelData, sampleRate, errors } = await decoder.decodeFile(bytes)
  decoder.free()
  expect(errors).toEqual([])
  const samples = Int16Array.from(channelData[0] ?? [], (value) => Math.round(value * 32_767))
  return { samples, sampleRate }
}

function expectTone(samples: Float32Array = new Float32Array()): void {
  expect(Math.abs(samples.length - second.length)).toBeLessThan(3000)
  const loudness = (all: ArrayLike<number>) => Math.hypot(...Array.from(all).slice(4000, 12_000))
  expect(Math.abs(1 - (32_768 * loudness(samples)) / loudness(second))).toBeLessThan(0.1)
}

function toTone(length: number): Int16Array {
  return Int16Array.from({ length }, (_, at) => 12_000 * Math.sin((at * 2 * Math.PI * 440) / sampleRate))
}

/** Every value a sample can have, by a fixed rule. */
function toNoise(length: number): Int16Array {
  let state = 1
  return Int16Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state >> 16
  })
}
