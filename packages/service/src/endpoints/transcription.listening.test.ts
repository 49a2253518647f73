import { toFile } from 'openai'
import { beforeAll, expect, test, vi } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { localService } from '../../test/local-service.js'
import { transcriptionEndpoints } from './transcription.js'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const model = 'whisper-1'
const sentence = 'She plays the piano every evening after dinner.'
const words = 'she plays the piano every evening after dinner'

const { service, client } = localService()
let speech: Blob

beforeAll(async () => {
  speech = await say(sentence)
})

async function say(input: string, voice = 'rms', format: 'wav' | 'mp3' | 'flac' = 'wav'): Promise<Blob> {
  const spoken = await client.audio.speech.create({
    model: 'gpt-4o-mini-tts',
    voice,
    input,
    response_format: format,
  })
  return new Blob([await spoken.arrayBuffer()])
}

async function listen(path: string, fields: Record<string, string | Blob>): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const headers = { authorization: `Bearer ${service.apiKey}` }
  return fetch(`${service.baseURL}/audio/${path}`, { method: 'POST', headers, body })
}

async function refusal(path: string, fields: Record<string, string | Blob>): Promise<unknown> {
  const response = await listen(path, fields)
  const { error } = (await response.json()) as { error: { code: string; param: string | null } }
  return [response.status, error.code, error.param]
}

const file = new Blob(['RIFF'], { type: 'audio/wav' })

test.each(['transcriptions', 'translations'])(
  '%s check their fields and name the invalid one',
  async (path) => {
    expect(await refusal(path, { file })).toEqual([400, 'missing_model', 'model'])
    expect(await refusal(path, { model })).toEqual([400, 'missing_file', 'file'])
    expect(await refusal(path, { model, file: 'a.wav' })).toEqual([400, 'missing_file', 'file'])
    expect(await refusal(path, { model, file: new Blob([]) })).toEqual([400, 'empty_file', 'file'])
    const refused: [Record<string, string>, string, string][] = [
      [{ response_format: 'xml' }, 'unsupported_response_format', 'response_format'],
      [{ language: 'klingon!' }, 'invalid_language', 'language'],
      [{ language: 'fr' }, 'unsupported_language', 'language'],
      [{ temperature: '2' }, 'invalid_temperature', 'temperature'],
      [{ temperature: 'warm' }, 'invalid_temperature', 'temperature'],
      [
        { 'timestamp_granularities[]': 'letter', response_format: 'verbose_json' },
        'invalid_timestamp_granularities',
        'timestamp_granularities[]',
      ],
      [
        { 'timestamp_granularities[]': 'word' },
        'invalid_timestamp_granularities',
        'timestamp_granularities[]',
      ],
    ]
    for (const [fields, code, param] of refused)
      expect(await refusal(path, { model, file, ...fields })).toEqual([400, code, param])
    expect(await refusal(path, { model, file })).toEqual([400, 'unsupported_audio', 'file'])
  },
)

test('rejects a file without audio and lists the supported formats', async () => {
  const asked = client.audio.transcriptions.create({
    model,
    file: await toFile(Buffer.from('hello'), 'a.txt'),
  })
  await expect(asked).rejects.toThrow('Send wav, mp3, flac, ogg (vorbis, opus), webm (opus)')
})

test('rejects a truncated file as damaged', async () => {
  expect(await refusal('transcriptions', { model, file: speech.slice(0, 20_000) })).toEqual([
    400,
    'invalid_audio',
    'file',
  ])
})

slowTest('the official client gets what was said, in each form', async () => {
  const asked = { model, file: await toFile(speech, 'speech.wav'), prompt: 'An office.', temperature: 0.2 }
  const { text } = await client.audio.transcriptions.create({ ...asked, language: 'en' })
  expect(text).toBe(words)
  const plain = await client.audio.transcriptions.create({ ...asked, response_format: 'text' })
  expect(plain).toBe(`${words}\n`)
  const verbose = await client.audio.transcriptions.create({
    ...asked,
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  })
  expect(verbose).toMatchObject({ text: words, language: 'english', duration: expect.closeTo(3, 0) })
  expect(verbose.words?.map(({ word }) => word).join(' ')).toBe(words)
  expect(verbose.segments?.map((segment) => segment.text).join(' ')).toBe(words)
  const srt = await client.audio.transcriptions.create({ ...asked, response_format: 'srt' })
  expect(srt).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nshe plays/)
  const vtt = await client.audio.transcriptions.create({ ...asked, response_format: 'vtt' })
  expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> 00:00:0\d\.\d{3}\nshe plays/)
})

slowTest('the response names the engine', async () => {
  const response = await listen('transcriptions', { model, file: speech })
  expect(response.headers.get('x-capstan-engine')).toBe('pocketsphinx; real')
})

slowTest.each(['mp3', 'flac'] as const)('transcribes speech in %s', async (format) => {
  const spoken = await toFile(await say(sentence, 'rms', format), 'speech')
  expect((await client.audio.transcriptions.create({ model, file: spoken })).text).toBe(words)
})

slowTest('translates English to itself and rejects another language', async () => {
  const spoken = await toFile(speech, 'speech.wav')
  expect((await client.audio.translations.create({ model, file: spoken })).text).toBe(words)
  expect(await refusal('translations', { model, file: speech, language: 'es' })).toEqual([
    400,
    'not_in_phrase_book',
    'file',
  ])
})

test('a model of the user replaces the recogniser and gets the language', async () => {
  const asked: unknown[] = []
  const hearing = {
    text: 'Bonjour.',
    language: 'fr',
    duration: 1,
    segments: [{ text: 'Bonjour.', start: 0, end: 1 }],
  }
  const hear = async (audio: Uint8Array | object, options?: { language?: string | undefined }) => {
    asked.push([audio instanceof Uint8Array && audio.length, options?.language])
    return hearing
  }
  const recognizer = { transcribe: hear, translate: hear, close: async () => {} }
  const work = { run: () => Promise.reject(new Error('not the recogniser')) }
  const { transcribe } = transcriptionEndpoints({ work, recognizer })
  const bytes = Uint8Array.of(1, 2, 3)
  const reply = await transcribe({
    fields: { model, language: 'fr-CA', response_format: 'verbose_json' },
    files: { file: { name: 'a', mediaType: '', bytes } },
    origin: '',
    headers: {},
    isLocal: true,
    signal: new AbortController().signal,
  })
  expect(asked).toEqual([[3, 'fr']])
  expect(reply).toMatchObject({
    headers: { 'x-capstan-engine': 'sherpa-onnx; real' },
    json: { language: 'fr', text: 'Bonjour.' },
  })
})

test.each([
  [{}, true, true],
  [{ 'timestamp_granularities[]': 'word' }, false, true],
  [{ 'timestamp_granularities[]': ['segment'] }, true, false],
  [{ timestamp_granularities: ['word', 'segment'] }, true, true],
])('verbose_json with %o has the times that are asked for', async (asked, hasSegments, hasWords) => {
  const part = { start: 0, end: 1 }
  const hearing = {
    text: 'Hello.',
    language: 'en',
    duration: 1,
    segments: [{ ...part, text: 'Hello.' }],
    words: [{ ...part, word: 'Hello' }],
  }
  const hear = async () => hearing
  const recognizer = { transcribe: hear, translate: hear, close: async () => {} }
  const work = { run: () => Promise.reject(new Error('not the recogniser')) }
  for (const endpoint of Object.values(transcriptionEndpoints({ work, recognizer }))) {
    const reply = await endpoint({
      fields: { model, response_format: 'verbose_json', ...asked },
      files: { file: { name: 'a', mediaType: '', bytes: Uint8Array.of(1) } },
      origin: '',
      headers: {},
      isLocal: true,
      signal: new AbortController().signal,
    })
    expect('json' in reply && ['segments' in Object(reply.json), 'words' in Object(reply.json)]).toEqual([
      hasSegments,
      hasWords,
    ])
  }
})
