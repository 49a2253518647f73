import { get } from 'node:http'
import OpenAI, { toFile } from 'openai'
import { afterEach, expect, test } from 'vitest'
import type { ServiceOptions } from './service-options.js'
import { type Service, startService } from './start-service.js'
import type { UpstreamEndpoint } from './upstream.js'

const key = 'their-secret-key'
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()))
})

async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService(options)
  ends.push(service.close)
  return service
}

/** A service behind another one, of which a key is good for these endpoints only. */
async function startBoth(endpoints?: UpstreamEndpoint[]) {
  const there = await start({ apiKey: key, script: [{ when: '', answer: 'I am the other server.' }] })
  const here = await start({ upstream: { url: there.baseURL, apiKey: key, endpoints } })
  return { there, here, client: new OpenAI({ ...here, maxRetries: 0 }) }
}

async function useAll({ chat, images, audio, embeddings }: OpenAI): Promise<void> {
  await chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Who are you?' }] })
  const { data } = await images.generate({ model: 'gpt-image-1', prompt: 'a cat', size: '16x16' })
  const image = await toFile(Buffer.from(data?.[0]?.b64_json ?? '', 'base64'), 'cat.png', {
    type: 'image/png',
  })
  await images.edit({ model: 'gpt-image-1', image, prompt: 'add a balloon' })
  await images.createVariation({ model: 'dall-e-2', image })
  await audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hi.', response_format: 'wav' })
  await embeddings.create({ model: 'text-embedding-3-small', input: 'a' })
  // Rejected by whichever recogniser gets it.
  const file = await toFile(Buffer.from('no sound'), 'a.wav')
  await audio.transcriptions.create({ model: 'whisper-1', file }).catch(() => {})
  await audio.translations.create({ model: 'whisper-1', file }).catch(() => {})
}

const chatPath = '/v1/chat/completions'
const mediaPaths = [
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/images/variations',
  '/v1/audio/speech',
  '/v1/embeddings',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
]

test('chat from the other server, everything else from here', async () => {
  const { there, here, client } = await startBoth()
  await useAll(client)
  expect(there.requests.map(({ path }) => path)).toEqual([chatPath])
  expect(here.requests.map(({ path }) => path)).toEqual([chatPath, ...mediaPaths])
  expect(here.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 400, 400])
})

test('everything else from the other server, chat from here', async () => {
  const { there, client, here } = await startBoth([
    'images',
    'speech',
    'transcription',
    'translation',
    'embeddings',
  ])
  await useAll(client)
  expect(there.requests.map(({ path }) => path)).toEqual(mediaPaths)
  here.setRules([{ when: '', answer: 'I am here.' }])
  const messages = [{ role: 'user' as const, content: 'Who are you?' }]
  const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages })
  expect(choices[0]?.message.content).toBe('I am here.')
  expect(JSON.stringify(here.requests)).not.toContain(key)
})

test('a model is described by the server that has it', async () => {
  const { there, client } = await startBoth()
  await client.models.retrieve('gpt-4o')
  await client.models.retrieve('acme-large')
  await client.models.retrieve('dall-e-3')
  expect(there.requests.map(({ path }) => path)).toEqual(['/v1/models/gpt-4o', '/v1/models/acme-large'])
})

test('no name of a model leads to another address of the other server', async () => {
  const { there, here } = await startBoth()
  const ask = (path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      // Unlike fetch, this sends the path as it is.
      const headers = { authorization: `Bearer ${here.apiKey}` }
      const { hostname, port } = new URL(here.baseURL)
      get({ hostname, port, path, headers }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      )
    })
  for (const name of ['..', '%2e%2e', '.', '']) expect(await ask(`/v1/models/${name}`)).toBe(404)
  await ask('/v1/models/../audio/voices')
  await ask('/v1/models/..%2f..%2fhealthz?a=b')
  await ask('/v1/models/%5c..%5cadmin')
  expect(there.requests.map(({ path }) => path)).toEqual([
    '/v1/models/..%2Faudio%2Fvoices',
    '/v1/models/..%2F..%2Fhealthz',
    '/v1/models/%5C..%5Cadmin',
  ])
})

test('the headers of limits are those of the other server, never made up for it', async () => {
  const { client } = await startBoth()
  const { response } = await client.chat.completions
    .create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] })
    .withResponse()
  expect(response.headers.get('x-capstan-engine')).toBe('upstream; remote')
  const alone = await start({ upstream: { url: 'http://127.0.0.1:9/v1' } })
  const failed = await fetch(`${alone.baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${alone.apiKey}` },
  })
  expect([failed.status, failed.headers.get('x-ratelimit-limit-requests')]).toEqual([502, null])
})
