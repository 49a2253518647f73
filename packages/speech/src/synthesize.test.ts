import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { synthesize } from './synthesize.js'
import { voices } from './voices.js'
import type { Sound } from './wav.js'

const fox = 'The quick brown fox jumps over the lazy dog.'

// One voice at 16 000 samples a second and one at 8000; `.ci/long` hears all.
const isSample = ({ name }: { name: string }) => ['slt', 'kal'].includes(name)
const sampleVoices = voices.filter(isSample)
const otherVoices = voices.filter((voice) => !isSample(voice))

async function speaksLikeAPerson({ name, sampleRate }: (typeof voices)[number]): Promise<void> {
  const short = await synthesize({ text: fox, voice: name })
  expect(short.sampleRate).toBe(sampleRate)
  expect(toLoudness(short)).toBeGreaterThan(500)
  expect(toSeconds(short)).toBeGreaterThan(2)
  expect(toSeconds(short)).toBeLessThan(4)
  const long = await synthesize({ text: `${fox} Then it sleeps in the shade of an old tree.`, voice: name })
  expect(toSeconds(long)).toBeGreaterThan(toSeconds(short) + 1)
}

test.each(sampleVoices)('$name speaks for about as long as a person', speaksLikeAPerson)
slowTest.each(otherVoices)('$name speaks for about as long as a person', speaksLikeAPerson)

test('an alias uses its voice', async () => {
  expect(await synthesize({ text: 'Hello.', voice: 'nova' })).toEqual(
    await synthesize({ text: 'Hello.', voice: 'slt' }),
  )
})

test('the default is slt at normal speed', async () => {
  expect(await synthesize({ text: 'Hello.' })).toEqual(
    await synthesize({ text: 'Hello.', voice: 'rms', speed: 1 }),
  )
})

async function followsSpeed({ name }: (typeof voices)[number]): Promise<void> {
  const usual = toSeconds(await synthesize({ text: fox, voice: name }))
  expect(toSeconds(await synthesize({ text: fox, voice: name, speed: 2 })) / usual).toBeCloseTo(0.5, 1)
  expect(toSeconds(await synthesize({ text: fox, voice: name, speed: 0.5 })) / usual).toBeCloseTo(2, 1)
}

const halfAndTwice = '$name is about half as long at speed 2 and twice as long at speed 0.5'
test.each(sampleVoices.slice(0, 1))(halfAndTwice, followsSpeed)
slowTest.each([...sampleVoices.slice(1), ...otherVoices])(halfAndTwice, followsSpeed)

test('speaks numbers as words', async () => {
  const digits = await synthesize({ text: 'It is $1,250.50.' })
  const words = await synthesize({ text: 'It is one thousand two hundred fifty dollars and fifty cents.' })
  expect(toSeconds(digits) / toSeconds(words)).toBeCloseTo(1, 1)
})

test('the same text always gives the same samples, also after and beside other requests', async () => {
  const texts = ['A fox. And back.', 'Something else: 42. And more.', 'A third.']
  const alone: Sound[] = []
  for (const text of texts) alone.push(await synthesize({ text, voice: 'kal16' }))
  const together = await Promise.all(texts.map((text) => synthesize({ text, voice: 'kal16' })))
  expect(together).toEqual(alone)
})

slowTest('speaks 800 words to the end', async () => {
  const text = `${fox} `.repeat(89)
  const once = toSeconds(await synthesize({ text: fox, voice: 'kal16' }))
  const sound = await synthesize({ text, voice: 'kal16' })
  expect(toSeconds(sound) / once).toBeCloseTo(89, 0)
})

slowTest('speaks a sentence without a full stop', async () => {
  const sound = await synthesize({ text: 'and so on '.repeat(270), voice: 'kal16' })
  expect(toSeconds(sound)).toBeGreaterThan(100)
})

test.each([
  [
    { text: fox, voice: 'zoe' },
    'unknown_voice',
    /There is no voice "zoe". Use a voice \(rms, .* an alias \(alloy, /,
  ],
  [{ text: fox, speed: 5 }, 'invalid_speed', 'The speed 5 is out of range: use a number from 0.25 to 4.'],
  [{ text: fox, speed: 0.2 }, 'invalid_speed', 'from 0.25 to 4'],
  [{ text: fox, speed: Number.NaN }, 'invalid_speed', 'from 0.25 to 4'],
  [{ text: '' }, 'empty_text', 'it needs English letters or digits'],
  [{ text: '東京 — 😀 ...' }, 'empty_text', 'it needs English letters or digits'],
  [
    { text: 'a'.repeat(100_001) },
    'text_too_long',
    'has 100001 characters; at most 100000 can be spoken per call',
  ],
])('invalid input %# is a SpeechError with a remedy', async (options, code, message) => {
  const failing = synthesize(options)
  await expect(failing).rejects.toMatchObject({ name: 'SpeechError', code })
  await expect(failing).rejects.toThrow(message)
})

test('an abort stops at the next sentence and rejects with its reason', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
    if (turns === 2) controller.abort(reason)
  })
  const text = `${fox} `.repeat(60)
  const failing = synthesize({ text, voice: 'kal16', signal: controller.signal })
  await expect(failing)
    .rejects.toBe(reason)
    .finally(() => clearInterval(timer))
  // Each of the 60 sentences would have let the event loop turn at least once.
  expect(turns).toBeLessThan(30)
})

test('an aborted signal speaks nothing', async () => {
  const signal = AbortSignal.abort()
  await expect(synthesize({ text: fox, signal })).rejects.toMatchObject({ name: 'AbortError' })
})

function toSeconds({ samples, sampleRate }: Sound): number {
  return samples.length / sampleRate
}

/** Root mean square of the samples: silence is 0, the loudest possible 32 767. */
function toLoudness({ samples }: Sound): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length)
}
