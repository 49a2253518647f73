import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import OpenAI6, { toFile } from 'openai'
import OpenAI7 from 'openai7'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJournal } from '../http/journal.js'
import { toRoutes } from '../routes.js'
import { startScripts } from '../scripts.js'
import { toServer } from '../server.js'
import { checkOptions } from '../service-options.js'
import { startWork } from '../work/start-work.js'
import { startImageLinks } from './image-links.js'

// A recogniser that needs no time, in place of one that needs seconds.
const heard = {
  text: 'Good evening, everyone.',
  language: 'en',
  duration: 2.5,
  segments: [{ text: 'Good evening, everyone.', start: 0, end: 2.5, confidence: 0.5 }],
}
const hear = async () => heard
const options = checkOptions({ apiKey: 'a-key-for-tests' })
const work = startWork({ workers: 1 })
const routes = toRoutes({
  ...options,
  work,
  links: startImageLinks(),
  scripts: startScripts(options),
  own: { recognizer: { transcribe: hear, translate: hear, close: async () => {} }, close: async () => {} },
})
const server = toServer(options, {
  routes,
  journal: createJournal({ most: 0, secrets: [] }),
  answering: new Set(),
})

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await work.close()
})

const clients = [
  ['openai 6', OpenAI6],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI6],
] as const

function start(OpenAI: typeof OpenAI6): OpenAI6 {
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return new OpenAI({ baseURL, apiKey: 'a-key-for-tests', maxRetries: 0 })
}

const file = () => toFile(Buffer.from('any bytes'), 'a.wav', { type: 'audio/wav' })

test.each(clients)('%s gets the events of a streamed transcription', async (_, OpenAI) => {
  const asked = { model: 'gpt-4o-transcribe', file: await file(), stream: true } as const
  const deltas: string[] = []
  let done: unknown
  for await (const event of await start(OpenAI).audio.transcriptions.create(asked)) {
    if (event.type === 'transcript.text.delta') deltas.push(event.delta)
    else done = event
  }
  expect(deltas).toEqual(['Good', ' evening,', ' everyone.'])
  expect(done).toEqual({
    type: 'transcript.text.done',
    text: heard.text,
    usage: {
      type: 'tokens',
      input_tokens: 25,
      output_tokens: 6,
      total_tokens: 31,
      input_token_details: { audio_tokens: 25, text_tokens: 0 },
    },
  })
})

test.each(clients)('%s gets usage, and segments with every field of their type', async (_, OpenAI) => {
  const { transcriptions } = start(OpenAI).audio
  const { usage } = await transcriptions.create({ model: 'gpt-4o-mini-transcribe', file: await file() })
  expect(usage).toMatchObject({ type: 'tokens', total_tokens: 31 })
  const whisper = { model: 'whisper-1', file: await file() }
  expect((await transcriptions.create(whisper)).usage).toEqual({ type: 'duration', seconds: 3 })
  const verbose = await transcriptions.create({ ...whisper, response_format: 'verbose_json' })
  expect(verbose).toMatchObject({
    duration: 2.5,
    language: 'english',
    usage: { type: 'duration', seconds: 3 },
  })
  expect(verbose.segments).toEqual([
    {
      id: 0,
      seek: 0,
      start: 0,
      end: 2.5,
      text: heard.text,
      tokens: [],
      temperature: 0,
      avg_logprob: Math.log(0.5),
      compression_ratio: expect.any(Number),
      no_speech_prob: 0,
      confidence: 0.5,
    },
  ])
})

test('a stream of another format, and a stream that is neither true nor false, are 400', async () => {
  const asked = { model: 'whisper-1', file: await file(), stream: true as const }
  const { transcriptions } = start(OpenAI6).audio
  await expect(transcriptions.create({ ...asked, response_format: 'srt' })).rejects.toMatchObject({
    status: 400,
    code: 'unsupported_stream',
    param: 'stream',
  })
  await expect(transcriptions.create({ ...asked, stream: 'yes' as unknown as true })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_type',
    param: 'stream',
  })
})
