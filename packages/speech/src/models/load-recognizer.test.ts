import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { writeTinyMoonshine, writeTinyMoonshine2, writeTinyWhisper } from '../../test/write-tiny-models.js'
import { encode } from '../encode/create-encoder.js'
import { loadRecognizer, type ModelRecognizer } from './load-recognizer.js'

let folder: string
let whisper: ModelRecognizer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recognizer-'))
  await writeTinyWhisper(join(folder, 'whisper'))
  whisper = await loadRecognizer(join(folder, 'whisper'))
})
afterAll(async () => {
  await whisper.close()
  await rm(folder, { recursive: true })
})

function toneOf(seconds: number) {
  const samples = Int16Array.from({ length: 16_000 * seconds }, (_, at) => 10_900 * Math.sin(at / 20))
  return { samples, sampleRate: 16_000 }
}

test('a Whisper from a folder transcribes in the language that it detects', async () => {
  expect(await whisper.transcribe(toneOf(3))).toEqual({
    text: 'bonjour monde',
    language: 'fr',
    duration: 3,
    segments: [{ text: 'bonjour monde', start: 0, end: 0.5 }],
  })
})

test('a Whisper translates a file', async () => {
  const heard = await whisper.translate(await encode(toneOf(3), 'flac'), { language: 'fr' })
  expect(heard).toMatchObject({ text: 'hello world', language: 'fr', segments: [{ start: 0.02, end: 0.52 }] })
})

slowTest('long sound is heard in parts with their times', async () => {
  const { text, segments } = await whisper.transcribe(toneOf(40), { language: 'en' })
  expect(segments.length).toBeGreaterThan(2)
  expect(text).toBe(segments.map(() => 'bonjour monde').join(' '))
  for (const [index, { start }] of segments.entries()) {
    expect(start).toBeGreaterThanOrEqual(segments[index - 1]?.end ?? 0)
  }
})

test.each([
  ['four', writeTinyMoonshine],
  ['two', writeTinyMoonshine2],
])('a Moonshine of %s files transcribes, and does not translate', async (name, write) => {
  await write(join(folder, name))
  const moonshine = await loadRecognizer(join(folder, name))
  const segments = [{ text: 'good morning', start: 0, end: 2 }]
  expect(await moonshine.transcribe(toneOf(2))).toMatchObject({ language: 'und', segments })
  expect(await moonshine.transcribe(toneOf(2), { language: 'en' })).toMatchObject({ language: 'en' })
  await expect(moonshine.translate(toneOf(2))).rejects.toMatchObject({ code: 'unsupported_language' })
  await moonshine.close()
})

test('an English Whisper refuses other languages and translation', async () => {
  await writeTinyWhisper(join(folder, 'english'), { is_multilingual: 0 })
  const english = await loadRecognizer(join(folder, 'english'))
  for (const heard of [english.transcribe(toneOf(1), { language: 'fr' }), english.translate(toneOf(1))])
    await expect(heard).rejects.toMatchObject({ code: 'unsupported_language' })
  await english.close()
})

test('reports undecodable audio and unknown languages, and keeps the model', async () => {
  const bytes = new TextEncoder().encode('no sound')
  await expect(whisper.transcribe(bytes)).rejects.toMatchObject({ code: 'unsupported_audio' })
  const german = whisper.transcribe(toneOf(1), { language: 'de' })
  await expect(german).rejects.toMatchObject({ code: 'unsupported_language' })
  expect(await whisper.transcribe(toneOf(1))).toMatchObject({ language: 'fr' })
})

test('silence has no text', async () => {
  const silence = { samples: new Int16Array(16_000), sampleRate: 16_000 }
  expect(await whisper.transcribe(silence)).toEqual({ text: '', language: 'und', duration: 1, segments: [] })
})

slowTest('an abort ends the work, and the next request is answered', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const hearing = whisper.transcribe(toneOf(600), { signal: controller.signal })
  setImmediate(() => controller.abort(reason))
  await expect(hearing).rejects.toBe(reason)
  expect(await whisper.transcribe(toneOf(1))).toMatchObject({ language: 'fr' })
})

// The engine trusts these numbers until it uses them.
slowTest.each([[{ n_mels: 128 }], [{ n_text_state: 2 }]])(
  'a failure of the engine (%j) is a typed error, and the next request is answered',
  async (facts) => {
    await writeTinyWhisper(join(folder, 'failing'), facts)
    const failing = await loadRecognizer(join(folder, 'failing'))
    await expect(failing.transcribe(toneOf(1))).rejects.toMatchObject({ code: 'model_failed' })
    await expect(failing.transcribe(toneOf(1), { language: 'de' })).rejects.toMatchObject({
      code: 'unsupported_language',
    })
    await expect(failing.transcribe(toneOf(1))).rejects.toMatchObject({ code: 'model_failed' })
    await failing.close()
  },
)
