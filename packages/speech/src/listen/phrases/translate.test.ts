import { expect, test, vi } from 'vitest'
import { slowTest } from '../../../../../scripts/slow-test.mjs'
import { synthesize } from '../../synthesize.js'
import { translate } from './translate.js'

vi.setConfig({ testTimeout: 120_000 })

/** An English voice reading words spelt so that it nearly says a phrase of another language. */
function say(respelt: string) {
  return synthesize({ text: respelt, voice: 'rms', speed: 0.9 })
}

const phrases = [
  ['es', 'moochus grahseeus', 'thank you very much'],
  ['es', 'no ahblo espanyole', 'I do not speak Spanish'],
  ['es', 'doanday estah la estahseeohn', 'where is the station?'],
  ['it', 'kwanto costa', 'how much does it cost?'],
  ['it', 'me kyahmo marco', 'my name is Marco'],
] as const

async function isUnderstood(language: string, respelt: string, english: string): Promise<void> {
  const translation = await translate({ audio: await say(respelt), language })
  expect(translation).toEqual({
    text: english,
    language,
    segments: [{ text: english, start: 0, end: translation.duration }],
    duration: translation.duration,
  })
}

slowTest.each(phrases)('translates a phrase in %s', isUnderstood)

slowTest('which language a phrase is in is found out, and English stays what it is', async () => {
  expect(await translate({ audio: await say('known parlo eetahlyahno') })).toMatchObject({
    text: 'I do not speak Italian',
    language: 'it',
  })
  const audio = await synthesize({ text: 'She plays the piano every evening.', voice: 'rms' })
  expect(await translate({ audio })).toMatchObject({
    text: 'she plays the piano every evening',
    language: 'en',
  })
})

slowTest('rejects other speech and points to Whisper models', async () => {
  const audio = await synthesize({ text: 'The old farmer sold his horses.' })
  const refused = translate({ audio, language: 'it' })
  await expect(refused).rejects.toMatchObject({ name: 'SpeechError', code: 'not_in_phrase_book' })
  await expect(refused).rejects.toThrow('--recognizer FOLDER')
  const silence = { samples: new Int16Array(16_000), sampleRate: 16_000 }
  await expect(translate({ audio: silence, language: 'es' })).rejects.toMatchObject({
    code: 'not_in_phrase_book',
  })
  expect((await translate({ audio: silence })).text).toBe('')
})

test('rejects another language before recognition', async () => {
  const audio = { samples: new Int16Array(16_000), sampleRate: 16_000 }
  await expect(translate({ audio, language: 'fr' })).rejects.toMatchObject({ code: 'unsupported_language' })
})
