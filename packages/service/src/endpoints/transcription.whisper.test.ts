import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from '@capstan/speech'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { writeRandomWhisper } from '../../../speech/test/write-random-whisper.js'
import { startWhisper } from './transcription.js'

let folder: string
let whisper: Awaited<ReturnType<typeof startWhisper>>
const silence = encode({ samples: new Int16Array(16_000), sampleRate: 16_000 }, 'wav')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whisper-'))
  await writeRandomWhisper(join(folder, 'random.bin'))
  whisper = await startWhisper(join(folder, 'random.bin'))
})
afterAll(async () => {
  await whisper.close()
  await rm(folder, { recursive: true })
})

async function hears(task: 'transcribe' | 'translate'): Promise<void> {
  const heard = await whisper[task](await silence, { language: 'fr' })
  expect(heard).toMatchObject({ text: expect.any(String), language: 'fr', duration: 1 })
}

test('a model file transcribes', () => hears('transcribe'))
slowTest('a model file translates', () => hears('translate'))

slowTest('a request beyond the queue is a 429', async () => {
  const audio = await silence
  const stop = new AbortController()
  const asked = Array.from({ length: 10 }, () =>
    whisper.transcribe(audio, { language: 'en', signal: stop.signal }),
  )
  await expect(asked.at(-1)).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': expect.any(String) },
  })
  stop.abort()
  await Promise.allSettled(asked)
})

test('reports an invalid model file at the start', async () => {
  await expect(startWhisper(import.meta.filename)).rejects.toMatchObject({ code: 'invalid_model' })
})
