import { expect, test, vi } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { freshSentences } from '../../test/fresh-sentences.js'
import { commands } from '../../test/human-clips.js'
import { errorRate, wordErrors } from '../../test/word-errors.js'
import { encode } from '../encode/create-encoder.js'
import { synthesize } from '../synthesize.js'
import { transcribe } from './transcribe.js'

vi.setConfig({ testTimeout: 120_000 })

slowTest.each(['wav', 'mp3', 'ogg', 'flac'])(
  'what is spoken and sent as %s is heard, all but a few words',
  async (format) => {
    const heard = await Promise.all(
      freshSentences.slice(0, 3).map(async (text) => {
        const audio = await encode(await synthesize({ text }), format)
        return wordErrors(text, (await transcribe({ audio })).text)
      }),
    )
    expect(errorRate(heard)).toBeLessThanOrEqual(15)
  },
)

slowTest('recognises people who call out cards', async () => {
  const heard = await Promise.all(
    commands.map(async ({ said, audio }) => wordErrors(said, (await transcribe({ audio })).text)),
  )
  expect(errorRate(heard)).toBeLessThanOrEqual(20)
})

slowTest('words have ordered times within the sound; silence gives none', async () => {
  const { words, segments, duration, text } = await transcribe({
    audio: await synthesize({ text: 'Please turn off the lights before you leave the office.' }),
  })
  expect(words.map(({ word }) => word).join(' ')).toBe(text)
  expect(segments.map((segment) => segment.text).join(' ')).toBe(text)
  for (const [index, { start, end }] of words.entries()) {
    expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0)
    expect(end).toBeGreaterThan(start)
    expect(end).toBeLessThanOrEqual(duration + 0.05)
  }
  const silence = { samples: new Int16Array(8000), sampleRate: 8000 }
  expect(await transcribe({ audio: silence })).toEqual({ text: '', words: [], segments: [], duration: 1 })
})

slowTest('earlier noise does not change results, and long sounds are recognised in chunks', async () => {
  const [first = '', second = '', third = ''] = freshSentences.slice(8, 11)
  const audio = await synthesize({ text: `${first} ${second} ${third}`, voice: 'rms', speed: 0.6 })
  const before = await transcribe({ audio })
  expect(before.duration).toBeGreaterThan(15)
  expect(errorRate([wordErrors(`${first} ${second} ${third}`, before.text)])).toBeLessThan(30)
  let state = 1
  const noise = Int16Array.from({ length: 32_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state >> 16
  })
  await transcribe({ audio: { samples: noise, sampleRate: 16_000 } })
  expect(await transcribe({ audio })).toEqual(before)
})

test('an abort stops before the next chunk', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  const audio = { samples: new Int16Array(16_000).fill(500), sampleRate: 16_000 }
  await expect(transcribe({ audio, signal })).rejects.toThrow('enough')
})

test('rejects a file without audio and lists the supported kinds', async () => {
  const refused = transcribe({ audio: new TextEncoder().encode('hello') })
  await expect(refused).rejects.toMatchObject({ name: 'SpeechError', code: 'unsupported_audio' })
  await expect(refused).rejects.toThrow('wav, mp3, flac, ogg (vorbis, opus), webm (opus)')
})
