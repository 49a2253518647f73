import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { writeRandomWhisper } from '../../test/write-random-whisper.js'
import { encode } from '../encode/create-encoder.js'
import { loadWhisper, startChild, type Whisper } from './load-whisper.js'

// The model is random, so its words mean nothing: what is tested is the way there and back.
let folder: string
let model: string
let whisper: Whisper
const tone = {
  samples: Int16Array.from({ length: 48_000 }, (_, at) => 10_900 * Math.sin(at / 20)),
  sampleRate: 16_000,
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whisper-'))
  model = join(folder, 'random.bin')
  await writeRandomWhisper(model)
  whisper = await loadWhisper(model)
})
afterAll(async () => {
  await whisper.close()
  await rm(folder, { recursive: true })
})

slowTest('a model from a file transcribes samples and translates files', async () => {
  const heard = await whisper.transcribe(tone, { language: 'de' })
  expect(heard).toMatchObject({ text: expect.any(String), language: 'de', duration: 3 })
  const translated = await whisper.translate(await encode(tone, 'flac'), { language: 'fr' })
  expect(translated).toMatchObject({ text: expect.any(String), language: 'fr', duration: 3 })
  expect(translated.segments.length).toBeGreaterThan(0)
  for (const { start, end } of translated.segments) expect(end).toBeGreaterThanOrEqual(start)
})

test('reports undecodable audio as without a model, and keeps the model', async () => {
  const bytes = new TextEncoder().encode('no sound')
  await expect(whisper.transcribe(bytes)).rejects.toMatchObject({ code: 'unsupported_audio' })
  await expect(whisper.transcribe(tone, { language: 'xx' })).rejects.toMatchObject({
    code: 'unsupported_language',
  })
})

slowTest(
  'an abort ends the work, and the next request is answered by a new process',
  {
    timeout: 60_000,
  },
  async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const long = { samples: new Int16Array(16_000 * 300), sampleRate: 16_000 }
    const hearing = whisper.transcribe(long, { language: 'en', signal: controller.signal })
    setImmediate(() => controller.abort(reason))
    await expect(hearing).rejects.toBe(reason)
    expect(await whisper.transcribe(tone, { language: 'en' })).toMatchObject({ language: 'en' })
  },
)

slowTest('a process that ends during a request is a typed error', async () => {
  const child = await startChild(model)
  const hearing = child.hear({ audio: tone, language: 'en', translate: false })
  process.kill(child.pid, 'SIGABRT')
  await expect(hearing).rejects.toMatchObject({ name: 'SpeechError', code: 'whisper_failed' })
  expect(child.isAlive()).toBe(false)
})

slowTest('closing a model leaves nothing running', async () => {
  const child = await startChild(model)
  await child.kill()
  expect(() => process.kill(child.pid, 0)).toThrow('ESRCH')
  const closed = await loadWhisper(model)
  await closed.close()
  await expect(closed.transcribe(tone)).rejects.toThrow('Load it again')
})

test('a file that the engine rejects is a typed error', async () => {
  const path = join(folder, 'text.bin')
  await writeFile(path, 'no model')
  await expect(loadWhisper(path)).rejects.toMatchObject({ code: 'invalid_model' })
  await expect(startChild(path)).rejects.toMatchObject({ code: 'whisper_failed' })
})
