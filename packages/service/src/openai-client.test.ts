import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from './start-service.js'
import { startService } from './start-service.js'

let service: Service
let client: OpenAI

beforeAll(async () => {
  service = await startService()
  client = new OpenAI({ ...service, maxRetries: 0 })
})
afterAll(() => service.close())

const size = '256x256'

function sizeOf(png: Uint8Array): [string, number, number] {
  const view = Buffer.from(png)
  return [view.toString('latin1', 1, 4), view.readUInt32BE(16), view.readUInt32BE(20)]
}

async function draw(): Promise<Uint8Array> {
  const { data } = await client.images.generate({ model: 'gpt-image-1', prompt: 'a red sailboat', size })
  return Buffer.from(data?.[0]?.b64_json ?? '', 'base64')
}

test('a picture comes as bytes in the answer', async () => {
  expect(sizeOf(await draw())).toEqual(['PNG', 256, 256])
})

test('a picture comes as an address that needs no key', async () => {
  const asked = { model: 'dall-e-2', prompt: 'a red sailboat', size, n: 2, response_format: 'url' } as const
  const { data } = await client.images.generate(asked)
  const urls = (data ?? []).map(({ url }) => url ?? '')
  expect(new Set(urls).size).toBe(2)
  for (const url of urls) {
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(sizeOf(new Uint8Array(await response.arrayBuffer()))).toEqual(['PNG', 256, 256])
  }
})

test('a picture is edited and varied', async () => {
  const image = await toFile(await draw(), 'boat.png', { type: 'image/png' })
  const edited = await client.images.edit({ model: 'gpt-image-1', image, prompt: 'add a red balloon', size })
  const varied = await client.images.createVariation({
    model: 'dall-e-2',
    image,
    n: 2,
    size,
    response_format: 'b64_json',
  })
  const pictures = [...(edited.data ?? []), ...(varied.data ?? [])].map(({ b64_json }) =>
    Buffer.from(b64_json ?? '', 'base64'),
  )
  expect(pictures.map(sizeOf)).toEqual(Array.from({ length: 3 }, () => ['PNG', 256, 256]))
  expect(new Set(pictures.map((png) => png.toString('base64'))).size).toBe(3)
})

test('the models are listed', async () => {
  const names: string[] = []
  for await (const { id } of client.models.list()) names.push(id)
  expect(names).toContain('planner')
})
