import OpenAI6 from 'openai'
import OpenAI7 from 'openai7'
import { expect, test } from 'vitest'
import { localService } from '../../test/local-service.js'

const { service, client } = localService()
const model = 'text-embedding-3-small'

function similarity(one: readonly number[] = [], other: readonly number[] = []): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
}

test.each([
  ['openai 6', OpenAI6],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI6],
] as const)('%s gets the same vectors in both encodings', async (_, OpenAI) => {
  const client = new OpenAI({ ...service, maxRetries: 0 })
  const input = ['Cats sleep.', 'A red boat']
  // Without a format the client asks for base64 and decodes it.
  const { data: usual, usage, ...rest } = await client.embeddings.create({ model, input })
  const { data: floats } = await client.embeddings.create({ model, input, encoding_format: 'float' })
  expect(rest).toMatchObject({ object: 'list', model })
  expect(usage).toEqual({ prompt_tokens: 6, total_tokens: 6 })
  expect(usual.map(({ index, object, embedding }) => [index, object, embedding.length])).toEqual([
    [0, 'embedding', 1536],
    [1, 'embedding', 1536],
  ])
  for (const [index, { embedding }] of usual.entries()) {
    expect([...embedding]).toEqual(floats[index]?.embedding)
    expect(similarity(embedding, embedding)).toBeCloseTo(1, 5)
  }
})

test('texts with words in common are nearer than others', async () => {
  const texts = ['the cat sat on the mat', 'a cat sat on a mat', 'quarterly revenue grew strongly']
  const { data } = await client.embeddings.create({ model, input: texts })
  const [one, near, far] = data.map(({ embedding }) => embedding)
  expect(similarity(one, near)).toBeGreaterThan(0.4)
  expect(similarity(one, far)).toBeLessThan(0.2)
})

test('dimensions and tokens, and the engine', async () => {
  const asked = { model: 'text-embedding-3-large', encoding_format: 'float' } as const
  const sizes = async (fields: object) => {
    const { data } = await client.embeddings.create({ ...asked, input: 'cat', ...fields })
    return data.map(({ embedding }) => embedding.length)
  }
  expect(await sizes({})).toEqual([3072])
  expect(await sizes({ dimensions: 8 })).toEqual([8])
  expect(await sizes({ dimensions: 8, input: [[1, 2], [3]] })).toEqual([8, 8])
  expect(await sizes({ dimensions: 1, input: '?!' })).toEqual([1])
  const { response } = await client.embeddings.create({ model, input: [1, 2, 3] }).withResponse()
  expect(response.headers.get('x-capstan-engine')).toBe('hashed-words; procedural')
})

test('the limits are those of the reference service', async () => {
  const refused = { status: 400, code: 'input_too_long', param: 'input' }
  const texts = Array.from({ length: 2049 }, () => 'a')
  await expect(client.embeddings.create({ model, input: texts })).rejects.toMatchObject(refused)
  const long = Array.from({ length: 40 }, () => 'word '.repeat(6400))
  await expect(client.embeddings.create({ model, input: long })).rejects.toMatchObject(refused)
})
