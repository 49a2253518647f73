import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { cases, some } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { encode } from '../encode/create-encoder.js'
import { SpeechError } from '../speech-error.js'
import { synthesize } from '../synthesize.js'
import { encodeWav, type Sound } from '../wav.js'
import { decodeAudio } from './decode-audio.js'

vi.setConfig({ testTimeout: 60_000 })

const spoken = await synthesize({ text: 'Please open the second window.', voice: 'slt' })

/** "Please open the second window." once more, as other programs write it. */
function recorded(name: string): Uint8Array {
  return readFileSync(new URL(`../../test/files/${name}`, import.meta.url))
}

/** How alike two sounds are, from 0 to 1: the correlation where they fit best, within 10 ms of `delay` samples. */
function likeness(one: Sound, other: Sound, delay = 0): number {
  const at = (shift: number) => {
    let [both, first, second] = [0, 0, 0]
    for (let index = 2000; index < one.samples.length - 2000; index += 5) {
      const [a, b] = [one.samples[index] ?? 0, other.samples[index + shift] ?? 0]
      both += a * b
      first += a * a
      second += b * b
    }
    return both / Math.sqrt(first * second)
  }
  return Math.max(...Array.from({ length: 320 }, (_, index) => at(delay + index - 160)))
}

/** A WAV of our own with samples of another kind, in two equal channels. */
function wavOf(
  tag: number,
  bits: number,
  put: (view: DataView, at: number, sample: number) => void,
): Uint8Array {
  const bytes = bits / 8
  const wav = new Uint8Array(44 + spoken.samples.length * 2 * bytes)
  wav.set(encodeWav(spoken).subarray(0, 44))
  const view = new DataView(wav.buffer)
  view.setUint16(20, tag, true)
  view.setUint16(22, 2, true)
  view.setUint16(34, bits, true)
  view.setUint32(40, wav.length - 44, true)
  for (const [index, sample] of spoken.samples.entries()) {
    put(view, 44 + 2 * index * bytes, sample / 32_768)
    put(view, 44 + (2 * index + 1) * bytes, sample / 32_768)
  }
  return wav
}

function put24(view: DataView, at: number, sample: number): void {
  view.setInt8(at + 2, sample >> 16)
  view.setUint16(at, sample & 0xffff, true)
}

const wavs: [string, () => Uint8Array][] = [
  ['8 bits', () => wavOf(1, 8, (view, at, sample) => view.setUint8(at, 128 + Math.round(sample * 127)))],
  ['16 bits', () => wavOf(1, 16, (view, at, sample) => view.setInt16(at, sample * 32_767, true))],
  ['24 bits', () => wavOf(1, 24, (view, at, sample) => put24(view, at, Math.round(sample * 0x7f_ffff)))],
  ['32 bits', () => wavOf(1, 32, (view, at, sample) => view.setInt32(at, sample * 0x7fff_ffff, true))],
  ['floats', () => wavOf(3, 32, (view, at, sample) => view.setFloat32(at, sample, true))],
  ['long floats', () => wavOf(3, 64, (view, at, sample) => view.setFloat64(at, sample, true))],
]

async function decodesStereo(_: string, write: () => Uint8Array): Promise<void> {
  const decoded = await decodeAudio(write())
  expect(decoded.sampleRate).toBe(16_000)
  expect(decoded.samples.length).toBe(spoken.samples.length)
  expect(likeness(spoken, decoded)).toBeGreaterThan(0.99)
}

test.each(wavs.slice(0, 3))('decodes a stereo WAV of %s', decodesStereo)
slowTest.each(wavs.slice(3))('decodes a stereo WAV of %s', decodesStereo)

test.each([
  [6, [0xd5, 0x55, 0xaa, 0x2a], [8, -8, 32_256, -32_256]],
  [7, [0xff, 0x7f, 0x80, 0x00], [0, 0, 32_124, -32_124]],
])('decodes the telephone code %i by the standard', async (tag, codes, values) => {
  const wav = encodeWav({ samples: new Int16Array(2), sampleRate: 16_000 })
  const view = new DataView(wav.buffer)
  view.setUint16(20, tag, true)
  view.setUint16(34, 8, true)
  wav.set(codes, 44)
  expect([...(await decodeAudio(wav)).samples]).toEqual(values)
})

test.each(some(['ogg', 'mp3', 'flac'], 2))('decodes our own %s', async (format) => {
  const decoded = await decodeAudio(await encode(spoken, format))
  // An mp3 starts with what its encoder and decoder need to get going.
  const delay = format === 'mp3' ? 1105 : 0
  expect(likeness(spoken, decoded, delay)).toBeGreaterThan(format === 'flac' ? 0.99999 : 0.99)
})

test.each(['window.opus', 'window.webm'])('decodes %s of another program', async (name) => {
  expect(likeness(spoken, await decodeAudio(recorded(name)))).toBeGreaterThan(0.98)
})

async function keepsItsPitch(sampleRate: number): Promise<void> {
  const tone = (rate: number) =>
    Int16Array.from({ length: rate }, (_, at) => 8000 * Math.sin((2 * Math.PI * 440 * at) / rate))
  const decoded = await decodeAudio({ samples: tone(sampleRate), sampleRate })
  expect(Math.abs(decoded.samples.length - 16_000)).toBeLessThanOrEqual(1)
  expect(likeness({ samples: tone(16_000), sampleRate: 16_000 }, decoded)).toBeGreaterThan(0.9999)
}

test.each([8000, 44_100])('a tone at %i samples per second keeps its pitch', keepsItsPitch)
slowTest.each([11_025, 22_050, 48_000])('a tone at %i samples per second keeps its pitch', keepsItsPitch)

test('resampling to a lower rate has no aliasing', async () => {
  const high = Int16Array.from(
    { length: 48_000 },
    (_, at) => 8000 * Math.sin((2 * Math.PI * 12_000 * at) / 48_000),
  )
  const { samples } = await decodeAudio({ samples: high, sampleRate: 48_000 })
  expect(Math.max(...samples.subarray(1000, 15_000).map(Math.abs))).toBeLessThan(20)
})

test('rejects a long sound before decoding all of it', async () => {
  await expect(decodeAudio(encodeWav(spoken), { longest: 1 })).rejects.toMatchObject({
    code: 'audio_too_long',
  })
})

test.each([
  ['m4a', '\0\0\0\x20ftypM4A '],
  ['aac', '\xff\xf1\x50\x80'],
  ['aiff', 'FORM\0\0\0\0AIFF'],
])('names the format of %s and lists the supported ones', async (kind, start) => {
  const refused = decodeAudio(Uint8Array.from(start.padEnd(64, '\0'), (letter) => letter.charCodeAt(0)))
  await expect(refused).rejects.toMatchObject({ code: 'unsupported_audio' })
  await expect(refused).rejects.toThrow(`it is ${kind}. Send wav`)
})

test.each(some(['wav', 'mp3', 'ogg', 'flac', 'window.opus', 'window.webm'], 2))(
  'a %s that is cut or damaged anywhere is either heard or refused, and cut ones are refused where that can be told',
  async (name) => {
    const whole = name.startsWith('window') ? recorded(name) : await encode(spoken, name)
    if (name === 'flac') new DataView(whole.buffer).setUint32(22, spoken.samples.length)
    let state = 7
    const random = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
    const rounds = cases(40, 12)
    const results = await Promise.all(
      Array.from({ length: rounds }, (_, round) => {
        const bytes = Uint8Array.from(whole)
        if (round % 2)
          return decodeAudio(bytes.subarray(0, random(bytes.length))).catch((error: unknown) => error)
        const range = round % 4 ? bytes.length : 200
        for (let flips = 0; flips < 5; flips++) bytes[random(range)] = random(256)
        return decodeAudio(bytes).catch((error: unknown) => error)
      }),
    )
    const errors = results.filter((result) => result instanceof Error)
    expect(errors.filter((error) => !(error instanceof SpeechError))).toEqual([])
    // An mp3 has no length and no sums: it is heard as far as it goes.
    expect(errors.length).toBeGreaterThanOrEqual(name === 'mp3' ? 0 : rounds / 2)
  },
)
