import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../start-service.js'
import { startService } from '../start-service.js'

let service: Service

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

function speak(fields: object): Promise<Response> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'gpt-4o-mini-tts', input: 'Hello there.', ...fields })
  return fetch(`${service.baseURL}/audio/speech`, { method: 'POST', headers, body })
}

test('speech is wav when no format is given, and the header says it is real', async () => {
  const response = await speak({})
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(response.headers.get('content-type')).toBe('audio/wav')
  expect(response.headers.get('x-capstan-engine')).toBe('flite; real')
  expect(bytes.toString('latin1', 0, 4)).toBe('RIFF')
  expect(bytes.length).toBeGreaterThan(16_000)
  expect(Math.max(...new Int16Array(bytes.buffer, bytes.byteOffset + 44, 8000))).toBeGreaterThan(500)
})

test('pcm is the bare samples, and says how they are to be read', async () => {
  const response = await speak({ format: 'pcm' })
  const wav = await (await speak({ response_format: 'wav' })).arrayBuffer()
  expect(response.headers.get('content-type')).toBe('audio/pcm;rate=16000;channels=1')
  expect((await response.arrayBuffer()).byteLength).toBe(wav.byteLength - 44)
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

test('twice the speed is about half as long', async () => {
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
  [{ format: 'mp3' }, 'unsupported_format', 'format'],
  [{ response_format: 'opus' }, 'unsupported_format', 'response_format'],
  [{ speed: 9 }, 'invalid_speed', 'speed'],
  [{ speed: '1' }, 'invalid_speed', 'speed'],
])('%j is a 400 %s', async (fields, code, param) => {
  const response = await speak(fields)
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code, param } }])
})

test('what is not supported is answered with what is', async () => {
  expect(await (await speak({ format: 'mp3' })).text()).toContain('there are: wav, pcm')
  expect(await (await speak({ voice: 'nobody' })).text()).toContain('slt')
})
