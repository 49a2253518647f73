import OpenAI6, { toFile } from 'openai'
import OpenAI7 from 'openai7'
import { describe, expect, test } from 'vitest'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { localService } from '../local-service.js'
import { sentence, shareHeard } from './words-heard.js'

const { service } = localService()

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tool = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather in a city.', parameters },
} as const
const question = { role: 'user', content: 'What is the weather in Paris?' } as const
const model = 'planner'
// A recogniser takes a while to load.
const patience = { timeout: 120_000 }

// The types of the two differ in details that are not used here.
const clients = [
  ['openai 6', OpenAI6],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI6],
] as const

describe.each(clients)('%s', (_, OpenAI) => {
  const start = () => new OpenAI({ ...service, maxRetries: 0 })

  test('calls a tool and replies from its result', async () => {
    const asked = await start().chat.completions.create({ model, messages: [question], tools: [tool] })
    const [choice] = asked.choices
    const [call] = choice?.message.tool_calls ?? []
    expect(call).toMatchObject({
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
    })
    const result = { role: 'tool', tool_call_id: call?.id ?? '', content: '21 degrees' } as const
    const messages = [question, choice?.message ?? question, result]
    const answered = await start().chat.completions.create({ model, messages, tools: [tool] })
    expect(answered.choices[0]?.message.content).toContain('21 degrees')
  })

  test('streams a call and text', async () => {
    const stream = start().chat.completions.stream({ model, messages: [question], tools: [tool] })
    const completion = await stream.finalChatCompletion()
    expect(completion.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { arguments: '{"city":"Paris"}' },
    })
    const words = await start().chat.completions.create({
      model,
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
    })
    let text = ''
    for await (const { choices } of words) text += choices[0]?.delta.content ?? ''
    expect(text).not.toBe('')
  })

  test('runs tools by itself', async () => {
    const run = async () => '21 degrees'
    const runner = start().chat.completions.runTools({
      model,
      messages: [question],
      tools: [{ type: 'function', function: { ...tool.function, parse: JSON.parse, function: run } }],
    })
    expect(await runner.finalContent()).toContain('21 degrees')
  })

  test('paints, edits and varies an image', patience, async () => {
    const client = start()
    const size = '256x256'
    const painted = await client.images.generate({
      model: 'dall-e-2',
      prompt: 'a red boat',
      size,
      response_format: 'b64_json',
    })
    const bytes = Buffer.from(painted.data?.[0]?.b64_json ?? '', 'base64')
    const image = await toFile(bytes, 'boat.png', { type: 'image/png' })
    const edited = await client.images.edit({ model: 'gpt-image-1', image, prompt: 'add a balloon', size })
    const varied = await client.images.createVariation({ model: 'dall-e-2', image, n: 2, size })
    expect([edited.data, varied.data].map((data) => data?.length)).toEqual([1, 2])
  })

  slowTest('speaks, hears what was said, and translates it', patience, async () => {
    const client = start()
    const asked = { model: 'gpt-4o-mini-tts', voice: 'slt', input: sentence, response_format: 'wav' } as const
    const spoken = await (await client.audio.speech.create(asked)).arrayBuffer()
    const file = () => toFile(spoken, 'speech.wav', { type: 'audio/wav' })
    const { text } = await client.audio.transcriptions.create({ model: 'whisper-1', file: await file() })
    expect(shareHeard(text)).toBeGreaterThan(0.6)
    const translated = await client.audio.translations.create({ model: 'whisper-1', file: await file() })
    expect(shareHeard(translated.text)).toBeGreaterThan(0.6)
  })

  test('lists the models', async () => {
    const names: string[] = []
    for await (const { id } of start().models.list()) names.push(id)
    expect(names).toEqual(expect.arrayContaining(['planner', 'gpt-image-1', 'whisper-1']))
  })

  test('reports an error with status, code and field', async () => {
    const refused = start().images.generate({ model: 'dall-e-2', prompt: 'a cat', n: 99 })
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'n' })
  })
})
