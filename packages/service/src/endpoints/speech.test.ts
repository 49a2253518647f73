import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { localService } from '../../test/local-service.js'

const { service } = localService()

function speak(fields: object): Promise<Response> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'gpt-4o-mini-tts', input: 'Hello there.', ...fields })
  return fetch(`${service.baseURL}/audio/speech`, { method: 'POST', headers, body })
}

test('the default format is wav, and the header names the engine', async () => {
  const response = await speak({})
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(response.headers.get('content-type')).toBe('audio/wav')
  expect(response.headers.get('x-capstan-engine')).toBe('flite; real')
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF')
  expect(bytes.length).toBeGreaterThan(16_000)
  expect(Math.max(...new Int16Array(bytes.buffer, bytes.byteOffset + 44, 8000))).toBeGreaterThan(500)
})

test('pcm is bare samples with rate and channels in the media type', async () => {
  const response = await speak({ format: 'pcm' })
  const wav = await (await speak({ response_format: 'wav' })).arrayBuffer()
  expect(response.headers.get('content-type')).toBe('audio/pcm;rate=16000;channels=1')
  expect((await response.arrayBuffer()).byteLength).toBe(wav.byteLength - 44)
})

test('pcm of a voice with another rate names that rate', async () => {
  const response = await speak({ format: 'pcm', voice: 'kal' })
  expect(response.headers.get('content-type')).toBe('audio/pcm;rate=8000;channels=1')
  await response.arrayBuffer()
})

test.each([
  ['mp3', 'audio/mpeg', [0xff]],
  ['ogg', 'audio/ogg', [...Buffer.from('OggS')]],
  ['flac', 'audio/flac', [...Buffer.from('fLaC')]],
])('%s says what it is, and is it', async (format, mediaType, start) => {
  const response = await speak({ format, voice: { id: 'nova' }, instructions: 'Whisper.' })
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(response.headers.get('content-type')).toBe(mediaType)
  expect([...bytes.subarray(0, start.length)]).toEqual(start)
  expect(bytes.length).toBeGreaterThan(3000)
})

test('sends the first sentence before the others are spoken', async () => {
  const input = 'It rains in Paris. '.repeat(200)
  const response = await speak({ input, format: 'pcm' })
  const reader = response.body?.getReader()
  const { value: first = [] } = (await reader?.read()) ?? {}
  expect(first.length).toBeLessThan(200_000)
  await reader?.cancel()
})

test('events have the same audio and end with speech.audio.done', async () => {
  const asked = { format: 'mp3', input: 'One. Two.' }
  const plain = Buffer.from(await (await speak(asked)).arrayBuffer())
  const response = await speak({ ...asked, stream_format: 'sse' })
  const events = [...(await response.text()).matchAll(/^data: (\{.*\})$/gm)].map(([, data = '']) =>
    JSON.parse(data),
  )
  expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done' })
  const sound = events.slice(0, -1).map(({ audio }) => Buffer.from(audio, 'base64'))
  expect(Buffer.concat(sound).equals(plain)).toBe(true)
})

slowTest('chat works while a long text is spoken', async () => {
  const sentence = `It rains in Paris, ${'and in the towns around it, '.repeat(6)} all day. `
  const speaking = speak({ input: sentence.repeat(8), format: 'mp3' })
  const body = JSON.stringify({ model: 'planner', messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  let isSpoken = false
  const spoken = speaking
    .then((answer) => answer.arrayBuffer())
    .finally(() => {
      isSpoken = true
    })
  // Were they answered between two sentences only, there would be no room for all of them.
  for (let turn = 0; turn < 15; turn += 1)
    await (await fetch(`${service.baseURL}/chat/completions`, { method: 'POST', headers, body })).json()
  expect(isSpoken).toBe(false)
  await spoken
})

test('the official client speaks', async () => {
  const client = new OpenAI(service)
  const spoken = await client.audio.speech.create({
    model: 'gpt-4o-mini-tts',
    voice: 'alloy',
    input: 'Hello',
    response_format: 'wav',
  })
  expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(4000)
})

test('double speed is about half as long', async () => {
  const [usual, fast] = await Promise.all(
    [{}, { speed: 2 }].map(async (more) => (await (await speak(more)).arrayBuffer()).byteLength),
  )
  expect((usual ?? 0) / (fast ?? 1)).toBeGreaterThan(1.5)
})

test.each<[object, string, string]>([
  [{ input: undefined }, 'missing_input', 'input'],
  [{ input: '  ' }, 'missing_input', 'input'],
  [{ input: 'x'.repeat(4097) }, 'input_too_long', 'input'],
  [{ voice: 'nobody' }, 'unknown_voice', 'voice'],
  [{ voice: 7 }, 'unknown_voice', 'voice'],
  [{ voice: { id: 'nobody' } }, 'unknown_voice', 'voice'],
  [{ voice: {} }, 'unknown_voice', 'voice'],
  [{ format: 'aac' }, 'unsupported_format', 'format'],
  [{ format: 3 }, 'unsupported_format', 'format'],
  [{ format: 'mp3 ' }, 'unsupported_format', 'format'],
  [{ response_format: 'opus' }, 'unsupported_format', 'response_format'],
  [{ speed: 9 }, 'invalid_speed', 'speed'],
  [{ speed: '1' }, 'invalid_speed', 'speed'],
  [{ stream_format: 'video' }, 'invalid_stream_format', 'stream_format'],
  [{ instructions: 7 }, 'invalid_instructions', 'instructions'],
  [{ input: '日本語' }, 'empty_text', 'input'],
])('%j is a 400 %s', async (fields, code, param) => {
  const response = await speak(fields)
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code, param } }])
})

test('errors list the supported values', async () => {
  expect(await (await speak({ format: 'opus' })).text()).toContain('Use one of: wav, pcm, flac, mp3, ogg.')
  expect(await (await speak({ voice: 'nobody' })).text()).toContain('slt')
})
