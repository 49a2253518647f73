import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from '@capstan/speech'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { tinyVoice, writeTinyVoice, writeTinyWhisper } from '../../../speech/test/write-tiny-models.js'
import { type Service, startService } from '../start-service.js'
import { startOwnModels } from './own-models.js'

let folder: string
let service: Service
let client: OpenAI

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'models-'))
  await writeTinyVoice(join(folder, 'voice'))
  await writeTinyWhisper(join(folder, 'whisper'))
  service = await startService({ voice: join(folder, 'voice'), recognizer: join(folder, 'whisper') })
  client = new OpenAI({ baseURL: service.baseURL, apiKey: service.apiKey, maxRetries: 0 })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

function toneOf(seconds: number) {
  const samples = Int16Array.from({ length: 16_000 * seconds }, (_, at) => 10_900 * Math.sin(at / 20))
  return { samples, sampleRate: 16_000 }
}

async function fileOf(seconds: number) {
  return toFile(await encode(toneOf(seconds), 'wav'), 'tone.wav')
}

async function speak(voice: string, response_format: 'wav' | 'mp3' | 'pcm' = 'pcm') {
  const response = await client.audio.speech.create({
    model: 'tts-1',
    voice,
    input: 'Hello. You.',
    response_format,
  })
  return {
    engine: response.headers.get('x-capstan-engine'),
    type: response.headers.get('content-type'),
    bytes: new Uint8Array(await response.arrayBuffer()),
  }
}

test('a voice of the user speaks, under its own names and under common ones', async () => {
  const [own, common] = [await speak('0'), await speak('alloy')]
  expect(own).toMatchObject({ engine: 'sherpa-onnx; real', type: 'audio/pcm;rate=16000;channels=1' })
  expect(own.bytes.length).toBe('hello.you.'.length * 2 * tinyVoice.letter)
  expect(common).toEqual(own)
  expect((await speak('1')).bytes).not.toEqual(own.bytes)
})

slowTest('a voice of the user is sent in every format', async () => {
  expect(Buffer.from((await speak('0', 'wav')).bytes).toString('latin1', 0, 4)).toBe('RIFF')
  expect(await speak('0', 'mp3')).toMatchObject({ type: 'audio/mpeg' })
})

test('an unknown voice, and a text that the voice cannot say, are a 400', async () => {
  await expect(speak('bella')).rejects.toMatchObject({ status: 400, code: 'unknown_voice', param: 'voice' })
  const russian = { model: 'tts-1', voice: '0', input: 'привет' }
  await expect(client.audio.speech.create(russian)).rejects.toMatchObject({ status: 400, code: 'empty_text' })
})

test('a recogniser of the user transcribes and translates', async () => {
  const asked = { model: 'whisper-1', response_format: 'verbose_json' } as const
  const heard = await client.audio.transcriptions.create({ ...asked, file: await fileOf(1) })
  expect(heard).toMatchObject({ text: 'bonjour monde', language: 'fr' })
  const english = await client.audio.translations.create({ ...asked, file: await fileOf(1) })
  expect(english).toMatchObject({ text: 'hello world' })
  const german = client.audio.transcriptions.create({ ...asked, file: await fileOf(1), language: 'de' })
  await expect(german).rejects.toMatchObject({ status: 400, code: 'unsupported_language', param: 'language' })
})

test('the lists name the engine and the voices', async () => {
  const get = async (path: string) => {
    const response = await fetch(service.baseURL + path, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    })
    return response.json()
  }
  expect(await get('/models/whisper-1')).toMatchObject({ engine: 'sherpa-onnx', kind: 'real' })
  expect(await get('/models/gpt-4o-mini-tts')).toMatchObject({ engine: 'sherpa-onnx' })
  const { data } = await get('/audio/voices')
  expect(data.slice(0, 3)).toEqual([
    { id: '0', object: 'voice', sample_rate: 16_000 },
    { id: '1', object: 'voice', sample_rate: 16_000 },
    { id: 'alloy', object: 'voice', alias_of: '0' },
  ])
})

slowTest('a request beyond the queue is a 429', async () => {
  const { recognizer, close } = await startOwnModels({ recognizer: join(folder, 'whisper') })
  const stop = new AbortController()
  const asked = Array.from({ length: 10 }, () => recognizer?.transcribe(toneOf(60), { signal: stop.signal }))
  await expect(asked.at(-1)).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': expect.any(String) },
  })
  stop.abort()
  await Promise.allSettled(asked)
  await close()
})

test('reports an unusable folder at the start', async () => {
  const starting = startService({ voice: join(folder, 'voice'), recognizer: folder })
  await expect(starting).rejects.toMatchObject({ code: 'invalid_model' })
})
