import OpenAI from 'openai'
import { expect, onTestFinished, test } from 'vitest'
import type { ServiceOptions } from '../service-options.js'
import { startService } from '../start-service.js'
import { checkModel, kindOfModel } from './models.js'

async function start(options: ServiceOptions = {}): Promise<OpenAI> {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return new OpenAI({ ...service, maxRetries: 0 })
}

test('a name shows its kind', () => {
  const kinds = {
    planner: 'chat',
    'gpt-4o': 'chat',
    'o4-mini': 'chat',
    'gpt-image-1': 'images',
    'dall-e-3': 'images',
    'chatgpt-image-latest': 'images',
    'gpt-4o-mini-tts': 'speech',
    'tts-1-hd': 'speech',
    'gpt-4o-transcribe': 'listening',
    'whisper-1': 'listening',
    'text-embedding-3-small': 'embeddings',
    'acme-large': undefined,
    constructor: undefined,
  }
  expect(Object.fromEntries(Object.keys(kinds).map((name) => [name, kindOfModel(name)]))).toEqual(kinds)
})

test('any name is accepted at any endpoint, unless it is missing or not a name', () => {
  for (const name of ['gpt-4o', 'dall-e-3', 'acme/large', '__proto__']) {
    expect(checkModel(name, 'chat', 'any')).toBe(name)
  }
  expect(checkModel(null, 'images', 'any')).toBe('gpt-image-1')
  expect(() => checkModel(undefined, 'chat', 'any')).toThrow('"model" is required')
  expect(() => checkModel(5, 'chat', 'any')).toThrow('must be a name')
  expect(() => checkModel('m'.repeat(257), 'chat', 'any')).toThrow('up to 256 characters')
})

test('a list accepts its own names, each at the endpoints of its kind', () => {
  const names = ['gpt-4o', 'dall-e-3', 'acme-large']
  expect(checkModel('gpt-4o', 'chat', names)).toBe('gpt-4o')
  expect(checkModel('acme-large', 'images', names)).toBe('acme-large')
  expect(checkModel(undefined, 'images', names)).toBe('dall-e-3')
  for (const name of ['gpt-4o-mini', 'dall-e-3', 'toString']) {
    expect(() => checkModel(name, 'chat', names)).toThrow(
      expect.objectContaining({ status: 404, code: 'model_not_found', param: 'model' }),
    )
  }
})

test('the list of a service applies to every endpoint and to its models', async () => {
  const client = await start({ models: ['gpt-4o', 'tts-1'] })
  const messages = [{ role: 'user', content: 'Hello' }] as const
  const { choices, model } = await client.chat.completions.create({
    model: 'gpt-4o',
    messages: [...messages],
  })
  expect([choices.length, model]).toEqual([1, 'gpt-4o'])
  const refused = [
    client.chat.completions.create({ model: 'gpt-4o-mini', messages: [...messages] }),
    client.chat.completions.create({ model: 'tts-1', messages: [...messages] }),
    client.images.generate({ model: 'dall-e-3', prompt: 'a cat' }),
    client.embeddings.create({ model: 'text-embedding-3-small', input: 'a' }),
    client.models.retrieve('gpt-4o-mini'),
  ]
  const isRefused = { status: 404, code: 'model_not_found' }
  await Promise.all(refused.map((one) => expect(one).rejects.toMatchObject(isRefused)))
  const names: string[] = []
  for await (const { id } of client.models.list()) names.push(id)
  expect(names).toEqual(['gpt-4o', 'tts-1'])
  expect(await client.models.retrieve('tts-1')).toMatchObject({
    id: 'tts-1',
    object: 'model',
    engine: 'flite',
  })
})

test('with any name, each model is described with its engine', async () => {
  const client = await start()
  const models = await Promise.all(
    ['gpt-4o', 'dall-e-3', 'acme/large', 'text-embedding-3-large'].map((id) => client.models.retrieve(id)),
  )
  expect(models).toMatchObject([
    { id: 'gpt-4o', object: 'model', owned_by: 'capstan', engine: 'planner' },
    { id: 'dall-e-3', engine: 'painter' },
    { id: 'acme/large', engine: 'planner' },
    { id: 'text-embedding-3-large', engine: 'hashed-words' },
  ])
})

test('rejects an empty list of names at the start', async () => {
  await expect(startService({ models: [] })).rejects.toThrow('models must be "any" or a non-empty array')
})
