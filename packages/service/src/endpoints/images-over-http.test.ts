import { request } from 'node:http'
import { paintPrompt, readPicture, writePicture } from '@capstan/painter'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { some } from '../../../../scripts/cases.mjs'
import { slowTest } from '../../../../scripts/slow-test.mjs'
import { cpuTime } from '../../../core/test/cpu-time.js'
import { type Service, startService } from '../start-service.js'

let service: Service
let client: OpenAI
const model = 'gpt-image-1'

beforeAll(async () => {
  service = await startService({ workers: 1 })
  client = new OpenAI({ ...service, maxRetries: 0 })
})

afterAll(() => service.close())

test.each(some(['webp', 'png', 'jpeg'] as const))(
  'serves a link to a %s with its media type',
  async (kind) => {
    const prompt = 'a cat'
    const fields = {
      model,
      prompt,
      output_format: kind,
      response_format: 'url',
      size: '64x48' as '256x256',
    } as const
    const { data } = await client.images.generate(fields)
    const response = await fetch(data?.[0]?.url ?? '')
    expect(response.headers.get('content-type')).toBe(`image/${kind}`)
    const { width, height } = await readPicture(new Uint8Array(await response.arrayBuffer()), 'file')
    expect([width, height]).toEqual([64, 48])
  },
)

test('an uploaded JPEG is edited as the official client sends it', async () => {
  const { picture } = paintPrompt({ prompt: 'a meadow', width: 64, height: 64 })
  const image = await toFile(Buffer.from(await writePicture(picture, { kind: 'jpeg' })), 'x.png', {
    type: 'image/png',
  })
  const { data, response } = await client.images
    .edit({ model, image, prompt: 'add a red balloon and a quagga', n: 2 })
    .withResponse()
  expect(data.data).toHaveLength(2)
  expect(response.headers.get('x-capstan-understood')).toBe('red, balloon')
  expect(response.headers.get('x-capstan-not-understood')).toBe('quagga')
})

test('any prompt gives safe headers', async () => {
  for (const prompt of [
    'a cat\r\nset-cookie: x=1',
    '猫',
    '\u0000\u0007',
    '"\u{1f600}" , % é',
    '\ud800',
    'word '.repeat(700),
  ]) {
    const { response } = await client.images
      .generate({ model, prompt, size: '16x16' as '256x256' })
      .withResponse()
    expect(response.headers.get('set-cookie')).toBeNull()
    for (const name of ['x-capstan-understood', 'x-capstan-not-understood'])
      expect(response.headers.get(name), name).toMatch(/^[\x20-\x7e]{1,1000}$/)
  }
})

slowTest('a disconnected client frees the worker', async () => {
  const large = { model, prompt: 'twelve trees in the forest, rain', size: '2048x2048' as '256x256', n: 10 }
  const one = await cpuTime(() => client.images.generate({ ...large, n: 1 }))
  for (let i = 0; i < 4; i++) await hangUp(JSON.stringify(large))
  const took = await cpuTime(() =>
    client.images.generate({ model, prompt: 'a cat', size: '32x32' as '256x256' }),
  )
  // Forty of them were asked for.
  expect(took).toBeLessThan(10 * one)
})

test('rejects several images for an edit and names the field', async () => {
  const { picture } = paintPrompt({ prompt: 'a meadow', width: 16, height: 16 })
  const file = Buffer.from(await writePicture(picture, { kind: 'png' }))
  const image = await Promise.all(['a.png', 'b.png'].map((name) => toFile(file, name)))
  await expect(client.images.edit({ model, image, prompt: 'add a cat' })).rejects.toMatchObject({
    status: 400,
    code: 'too_many_files',
    param: 'image',
  })
})

/** Sends a request and ends the connection as soon as its body is out. */
async function hangUp(body: string): Promise<void> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  await new Promise<void>((resolve) => {
    const sent = request(`${service.baseURL}/images/generations`, { method: 'POST', headers }, () => {})
    sent.on('error', () => {}).on('close', resolve)
    sent.end(body, () => setImmediate(() => sent.destroy()))
  })
}
