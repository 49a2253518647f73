import { parsePng } from '@capstan/painter'
import OpenAI6, { toFile } from 'openai'
import OpenAI7 from 'openai7'
import { expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { localService } from '../../test/local-service.js'

const { service } = localService()

const clients = [
  ['openai 6', OpenAI6],
  ['openai 7', OpenAI7 as unknown as typeof OpenAI6],
] as const
const start = (OpenAI: typeof OpenAI6) => new OpenAI({ ...service, maxRetries: 0 })

const fields = { model: 'gpt-image-1', prompt: 'a red sailboat at sunset', size: '96x64' } as never

/** The events of a streamed request. */
async function streamed(OpenAI: typeof OpenAI6, more: object) {
  const events: { type: string; b64_json: string; partial_image_index?: number; usage?: object }[] = []
  const asked = { ...(fields as object), stream: true, ...more } as never
  const stream = (await start(OpenAI).images.generate(asked)) as unknown as AsyncIterable<(typeof events)[0]>
  for await (const event of stream) events.push(event)
  return events
}

const pixelsOf = (base64: string) => parsePng(Buffer.from(base64, 'base64'), 'image')

test.each(some(clients))(
  '%s gets partial images of the same picture, then the picture',
  async (_, OpenAI) => {
    const events = await streamed(OpenAI, { partial_images: 2 })
    expect(events.map(({ type, partial_image_index }) => [type, partial_image_index])).toEqual([
      ['image_generation.partial_image', 0],
      ['image_generation.partial_image', 1],
      ['image_generation.completed', undefined],
    ])
    const plain = await start(OpenAI).images.generate(fields)
    const [first, second, complete] = events.map(({ b64_json }) => pixelsOf(b64_json))
    expect(events[2]?.b64_json).toBe(plain.data?.[0]?.b64_json)
    expect(events[2]).toMatchObject({ size: '96x64', output_format: 'png', usage: { output_tokens: 6 } })
    expect(events[0]).not.toHaveProperty('usage')
    // Each comes closer to the complete one.
    const distance = (one: typeof first) =>
      [...(one?.pixels ?? [])].reduce(
        (sum, value, i) => sum + Math.abs(value - (complete?.pixels[i] ?? 0)),
        0,
      )
    expect(distance(second)).toBeLessThan(distance(first))
    expect(distance(first) / (96 * 64 * 3)).toBeLessThan(30)
  },
)

test('a stream without partial images has the image alone, and one of several has each', async () => {
  expect((await streamed(OpenAI6, {})).map(({ type }) => type)).toEqual(['image_generation.completed'])
  const types = (await streamed(OpenAI6, { n: 2, partial_images: 1 })).map(({ type }) => type)
  const each = ['image_generation.partial_image', 'image_generation.completed']
  expect(types).toEqual([...each, ...each])
})

test('a streamed edit is the image of a plain one', async () => {
  const client = start(OpenAI6)
  const drawn = await client.images.generate(fields)
  const file = () =>
    toFile(Buffer.from(drawn.data?.[0]?.b64_json ?? '', 'base64'), 'a.png', { type: 'image/png' })
  const asked = { model: 'gpt-image-1', prompt: 'make it night' }
  const events: object[] = []
  for await (const event of await client.images.edit({ ...asked, image: await file(), stream: true }))
    events.push(event)
  const plain = await client.images.edit({ ...asked, image: await file() })
  expect(events).toMatchObject([{ type: 'image_edit.completed', b64_json: plain.data?.[0]?.b64_json }])
})

test('an error in a stream has its status', async () => {
  await expect(streamed(OpenAI6, { size: '9x9' })).rejects.toMatchObject({ status: 400, param: 'size' })
})

test('less quality is painted with less detail, and reported', async () => {
  const client = start(OpenAI6)
  const drawn = await Promise.all(
    ['low', 'medium', 'high', 'auto'].map((quality) =>
      client.images.generate({ ...(fields as { prompt: string }), quality: quality as 'low' }),
    ),
  )
  expect(drawn.map(({ quality }) => quality)).toEqual(['low', 'medium', 'high', 'high'])
  const [low, medium, high, auto] = drawn.map(({ data }) => data?.[0]?.b64_json ?? '')
  expect(new Set([low, medium, high]).size).toBe(3)
  expect(auto).toBe(high)
  expect(pixelsOf(low ?? '').width).toBe(96)
})
