import OpenAI6, { toFile } from 'openai'
import OpenAI7 from 'openai7'
import { describe, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { localService } from '../local-service.js'
import { sentence, shareHeard } from './words-heard.js'

// What a program for the real service writes: its model names, and no option of this service.

const { service } = localService()
// A recogniser takes a while to load.
const patience = { timeout: 120_000 }

// The types of the two differ in details that are not used here.
const clients = [
  ['openai 6', OpenAI6],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI6],
] as const

const user = (content: string) => [{ role: 'user' as const, content }]
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'The weather in a city.', parameters },
}

function kindOf(file: Uint8Array): string {
  const head = Buffer.from(file).toString('latin1', 0, 4)
  if (head === '\x89PNG') return 'png'
  return head === 'RIFF' ? 'wav' : head.startsWith('ID3') || file[0] === 0xff ? 'mp3' : head
}

describe.each(clients)('%s', (_, OpenAI) => {
  const client = () => new OpenAI({ baseURL: service.baseURL, apiKey: service.apiKey, maxRetries: 0 })

  test.each(some(['gpt-4o', 'gpt-4o-mini', 'o4-mini', 'gpt-5.2']))(
    '%s chats, streams and calls tools',
    async (model) => {
      const { completions } = client().chat
      const whole = await completions.create({ model, messages: user('Hello'), temperature: 0.2, seed: 1 })
      expect(whole).toMatchObject({
        model,
        object: 'chat.completion',
        service_tier: 'default',
        choices: [{ message: { role: 'assistant', refusal: null, annotations: [] } }],
        usage: {
          prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0 },
        },
      })
      const asked = { model, messages: user('What is the weather in Paris?'), tools: [weather] }
      const stream = completions.stream({ ...asked, stream_options: { include_usage: true } })
      const { choices, usage } = await stream.finalChatCompletion()
      expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"city":"Paris"}' } }])
      expect(usage?.completion_tokens_details).toMatchObject({ reasoning_tokens: 0 })
    },
  )

  test('responses have the headers of the real service', async () => {
    const asked = { model: 'gpt-4o', messages: user('Hello') }
    const { response, request_id } = await client().chat.completions.create(asked).withResponse()
    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/)
    const headers = Object.fromEntries(response.headers)
    expect(headers).toMatchObject({
      'openai-processing-ms': expect.stringMatching(/^\d+$/),
      'openai-version': '2020-10-01',
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '10000',
      'x-ratelimit-reset-requests': '0s',
      'x-ratelimit-limit-tokens': '1000000',
      'x-ratelimit-remaining-tokens': '1000000',
      'x-ratelimit-reset-tokens': '0s',
      'x-capstan-engine': 'planner; rules',
    })
  })

  // Painting takes the most time: both clients paint by the same endpoints.
  const painting = OpenAI === OpenAI6 ? test : slowTest

  painting('images come without a model, with size, format and usage', patience, async () => {
    const painted = await client().images.generate({ prompt: 'a red boat', size: '256x256', n: 2 })
    expect(painted.data?.map(({ b64_json = '' }) => kindOf(Buffer.from(b64_json, 'base64')))).toEqual([
      'png',
      'png',
    ])
    expect(painted).toMatchObject({
      background: 'opaque',
      output_format: 'png',
      quality: 'high',
      size: '256x256',
      usage: {
        input_tokens: 3,
        output_tokens: 128,
        total_tokens: 131,
        input_tokens_details: { text_tokens: 3, image_tokens: 0 },
      },
    })
  })

  painting.each(some(['dall-e-3', 'dall-e-2']))('%s delivers links', patience, async (model) => {
    const size = '256x256'
    const { images } = client()
    const painted = await images.generate({ model, prompt: 'a red boat', size })
    const bytes = await (await fetch(painted.data?.[0]?.url ?? '')).arrayBuffer()
    expect(kindOf(new Uint8Array(bytes))).toBe('png')
    const image = await toFile(bytes, 'boat.png', { type: 'image/png' })
    const edited = await images.edit({ model, image, prompt: 'add a balloon', size })
    const varied = await images.createVariation({ model, image, size })
    const whole = await images.generate({ model, prompt: 'a red boat', size, response_format: 'b64_json' })
    expect([edited, varied, whole].map(({ data }) => Object.keys(data?.[0] ?? {})[0])).toEqual([
      'url',
      'url',
      'b64_json',
    ])
  })

  test('tts-1 speaks MP3', patience, async () => {
    const spoken = await client().audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hi.' })
    expect(spoken.headers.get('content-type')).toBe('audio/mpeg')
    expect(kindOf(new Uint8Array(await spoken.arrayBuffer()))).toBe('mp3')
  })

  test('embeds, and finds models', async () => {
    const { data } = await client().embeddings.create({ model: 'text-embedding-3-small', input: 'A text.' })
    expect(data[0]?.embedding).toHaveLength(1536)
    expect((await client().models.retrieve('gpt-4o')).id).toBe('gpt-4o')
    const names: string[] = []
    for await (const { id } of client().models.list()) names.push(id)
    expect(names).toEqual(expect.arrayContaining(['gpt-4o', 'dall-e-3', 'tts-1', 'text-embedding-3-small']))
  })

  slowTest(
    'the default sizes and formats: paints, edits, varies, speaks and hears',
    { timeout: 300_000 },
    async () => {
      const { images, audio } = client()
      const painted = await images.generate({ model: 'gpt-image-1', prompt: 'a red boat' })
      const linked = await images.generate({ model: 'dall-e-3', prompt: 'a red boat' })
      expect([painted.data?.[0]?.b64_json, linked.data?.[0]?.url]).toEqual([
        expect.any(String),
        expect.any(String),
      ])
      const png = Buffer.from(painted.data?.[0]?.b64_json ?? '', 'base64')
      const image = await toFile(png, 'boat.png', { type: 'image/png' })
      const edited = await images.edit({ model: 'gpt-image-1', image, prompt: 'add a balloon' })
      const varied = await images.createVariation({ image, n: 2, size: '256x256' })
      expect([edited.data?.length, varied.data?.length, edited.size, varied.size]).toEqual([
        1,
        2,
        '1024x1024',
        '256x256',
      ])
      expect(edited.usage?.input_tokens_details.image_tokens).toBe(1024)

      const speech = await audio.speech.create({ model: 'tts-1-hd', voice: 'nova', input: sentence })
      const file = await toFile(await speech.arrayBuffer(), 'speech.mp3', { type: 'audio/mpeg' })
      const whisper = await audio.transcriptions.create({
        model: 'whisper-1',
        file,
        response_format: 'verbose_json',
      })
      const translated = await audio.translations.create({ model: 'whisper-1', file })
      let streamed = ''
      const stream = await audio.transcriptions.create({ model: 'gpt-4o-transcribe', file, stream: true })
      for await (const event of stream) if (event.type === 'transcript.text.delta') streamed += event.delta
      for (const text of [whisper.text, translated.text, streamed])
        expect(shareHeard(text)).toBeGreaterThan(0.6)
    },
  )
})
