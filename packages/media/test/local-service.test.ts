import { Agent, chatModel, memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { localService } from '../../service/test/local-service.js'
import { mediaTools } from '../src/index.js'
import { bytesOf } from './artifacts.js'
import { png } from './png.js'

const { service } = localService()

test('by hand: generates, edits with a mask, varies and speaks, each in the given size', async () => {
  const artifacts = memoryArtifacts()
  const [generate, edit, vary, , , speak] = mediaTools({ client: service, artifacts })
  const { images: drawn } = await generate.call({ prompt: 'a red sailboat at sunset', size: '128x96', n: 2 })
  expect(drawn).toMatchObject([
    { mediaType: 'image/png', width: 128, height: 96 },
    { mediaType: 'image/png', width: 128, height: 96 },
  ])
  const mask = await artifacts.put(png(128, 96, [255, 255, 255]), { kind: 'image', mediaType: 'image/png' })
  const [first] = drawn
  if (!first) throw new Error('Nothing was drawn.')
  const { images: edited } = await edit.call({ image: first.id, mask: mask.id, prompt: 'a blue boat' })
  const { images: varied } = await vary.call({ image: first.id, n: 2 })
  expect(new Set([first, ...edited, ...varied].map(({ id }) => id)).size).toBe(4)
  const { audio } = await speak.call({ input: 'Good night.' })
  expect(audio).toMatchObject({ mediaType: 'audio/wav', durationMs: expect.any(Number) })
  expect((await bytesOf(artifacts, audio)).some((byte, at) => at > 44 && byte !== 0)).toBe(true)
})

test('by hand without a store: each result can be read, and is an input of the next tool', async () => {
  const [generate, edit, , , , speak] = mediaTools({ client: service })
  const { images: drawn } = await generate.call({ prompt: 'a red sailboat at sunset', size: '128x96', n: 2 })
  const [, second] = drawn
  if (!second) throw new Error('Nothing was drawn.')
  const region = { boxes: [{ x: 0.5, y: 0, width: 0.5, height: 0.5 }] }
  const { images: edited } = await edit.call({ image: second, region, prompt: 'a yellow moon' })
  for (const image of [...drawn, ...edited]) {
    const bytes = await image.read()
    expect(bytes.length).toBe(image.size)
    expect([...bytes.subarray(1, 4)]).toEqual([...Buffer.from('PNG')])
  }
  const { audio } = await speak.call({ input: 'Good night.' })
  expect((await audio.read()).length).toBe(audio.size)
})

test('by hand: refuses an impossible region with the size of the image', async () => {
  const [generate, edit] = mediaTools({ client: service })
  const [image] = (await generate.call({ prompt: 'a red sailboat', size: '128x96' })).images
  if (!image) throw new Error('Nothing was drawn.')
  for (const x of [200, 100, -1, Number.NaN]) {
    const region = { boxes: [{ x, y: 0, width: 50, height: 50 }] }
    await expect(edit.call({ image, region, prompt: 'a moon' })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('The image is 128x96 pixels'),
    })
  }
})

test('by an agent: turns one sentence into a chain of calls', async () => {
  const agent = new Agent({ model: chatModel('planner', service), tools: mediaTools({ client: service }) })
  const { toolCalls } = await agent.run(
    'Draw a red sailboat at sunset in 128x96, then vary it, then say "Good night" aloud.',
  )
  expect(toolCalls.map(({ name, status }) => [name, status])).toEqual([
    ['generate_image', 'ok'],
    ['vary_image', 'ok'],
    ['speak', 'ok'],
  ])
})

slowTest(
  'what one tool speaks, the others hear: as a transcript, and in English',
  {
    timeout: 60_000,
  },
  async () => {
    const artifacts = memoryArtifacts()
    const [, , , transcribe, translate, speak] = mediaTools({ client: service, artifacts })
    const { audio } = await speak.call({
      input: 'She plays the piano every evening after dinner.',
      voice: 'onyx',
    })
    const text = 'she plays the piano every evening after dinner'
    expect(await transcribe.call({ file: audio.id })).toEqual({ text })
    expect(await translate.call({ file: audio.id })).toEqual({ text })
  },
)
