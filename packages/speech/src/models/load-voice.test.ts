import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { tinyVoice, writeTinyKokoro, writeTinyVoice } from '../../test/write-tiny-models.js'
import type { Sound } from '../wav.js'
import { loadVoice, type ModelVoice } from './load-voice.js'

let folder: string
let voice: ModelVoice

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voice-'))
  await writeTinyVoice(join(folder, 'vits'))
  voice = await loadVoice(join(folder, 'vits'))
})
afterAll(async () => {
  await voice.close()
  await rm(folder, { recursive: true })
})

function loudestOf({ samples }: Sound): number {
  return samples.reduce((most, sample) => Math.max(most, sample), 0)
}

test('a voice from a folder speaks each letter of a text', async () => {
  const { samples, sampleRate } = await voice.synthesize({ text: 'Hello. Bye now.' })
  expect(sampleRate).toBe(tinyVoice.sampleRate)
  expect(samples.length).toBe('hello.bye now.'.length * tinyVoice.letter)
})

test('speaks by another speaker and at another speed', async () => {
  const [usual, other] = [{ text: 'abc' }, { text: 'abc', speaker: '1', speed: 2 }]
  const [loud, soft] = [await voice.synthesize(usual), await voice.synthesize(other)]
  expect(voice.speakers).toEqual(['0', '1'])
  expect(soft.samples.length).toBe(loud.samples.length / 2)
  expect(loudestOf(soft)).toBeCloseTo(loudestOf(loud) / 2, -2)
})

test('writes out figures of an English text before it is spoken', async () => {
  const [figures, words] = [
    await voice.synthesize({ text: '€5' }),
    await voice.synthesize({ text: 'five euros' }),
  ]
  expect(figures).toEqual(words)
})

slowTest('streams a file sentence by sentence', async () => {
  const parts: number[] = []
  for await (const bytes of voice.speakStream({ text: 'One day. Two days.', format: 'pcm' }))
    parts.push(bytes.length)
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.reduce((sum, length) => sum + length)).toBe(
    'oneday.two days.'.length * 2 * tinyVoice.letter + 2 * tinyVoice.letter,
  )
})

test('a Kokoro voice has the names of its speakers', async () => {
  await writeTinyKokoro(join(folder, 'kokoro'))
  const kokoro = await loadVoice(join(folder, 'kokoro'))
  expect(kokoro.speakers).toEqual(['zf_one', 'zm_two'])
  const [loud, soft] = [
    await kokoro.synthesize({ text: '你好世界。' }),
    await kokoro.synthesize({ text: '你好世界。', speaker: 'zm_two' }),
  ]
  expect(loudestOf(soft)).toBeCloseTo(loudestOf(loud) / 2, -2)
  await kokoro.close()
})

test.each([
  [{ text: 'a', speaker: 'nova' }, 'unknown_voice', 'Use one of: 0, 1.'],
  [{ text: 'a', speed: 9 }, 'invalid_speed', 'from 0.25 to 4'],
  [{ text: ' ... ' }, 'empty_text', 'letters or digits'],
  [{ text: 'привет' }, 'empty_text', 'Use text in its language'],
  [{ text: 'a'.repeat(100_001) }, 'text_too_long', 'Split it.'],
])('refuses %j', async (options, code, words) => {
  const speaking = voice.synthesize(options)
  await expect(speaking).rejects.toMatchObject({ name: 'SpeechError', code })
  await expect(speaking).rejects.toThrow(words)
})

slowTest('an abort ends the work, and the next request is answered', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const speaking = voice.synthesize({ text: 'Some words. '.repeat(4000), signal: controller.signal })
  setImmediate(() => controller.abort(reason))
  await expect(speaking).rejects.toBe(reason)
  expect((await voice.synthesize({ text: 'ab' })).samples.length).toBe(2 * tinyVoice.letter)
})

test('a file that the engine rejects is an error with its reason', async () => {
  await writeTinyVoice(join(folder, 'damaged'))
  await writeFile(join(folder, 'damaged', 'tokens.txt'), 'a b c d\n')
  const loading = loadVoice(join(folder, 'damaged'))
  await expect(loading).rejects.toMatchObject({ name: 'SpeechError', code: 'invalid_model' })
  await expect(loading).rejects.toThrow('Error when reading tokens: a b c d')
})

slowTest('a closed voice rejects further requests', async () => {
  const closed = await loadVoice(join(folder, 'vits'))
  await closed.close()
  await expect(closed.synthesize({ text: 'a' })).rejects.toThrow('Load it again')
})
