import { Agent, type Artifact, memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { slowTest } from '../../../scripts/slow-test.mjs'
import { localService } from '../../service/test/local-service.js'
import { editImage, generateImage, mediaTools, speak, transcribeAudio } from '../src/index.js'
import { bytesOf } from './artifacts.js'
import { calling } from './calling.js'

// Fields of requests against the real engines of the local service, which checks and follows them.
const { service: client } = localService()

test('the format, background and quality of an image are those of the request', async () => {
  const prompt = 'a cat on a house'
  const size = '96x96'
  const drawn = async (fields: object) => {
    const { images } = await generateImage({ client, prompt, size, ...fields })
    return images[0] as Artifact
  }
  expect((await drawn({ outputFormat: 'jpeg' })).mediaType).toBe('image/jpeg')
  expect((await drawn({ outputFormat: 'webp', background: 'transparent' })).mediaType).toBe('image/webp')
  const [low, usual, high] = [
    await drawn({ quality: 'low' }),
    await drawn({}),
    await drawn({ quality: 'high' }),
  ]
  expect([low?.width, low?.height]).toEqual([96, 96])
  expect(usual?.sha256).toBe(high?.sha256)
  expect(low?.sha256).not.toBe(usual?.sha256)
  const compressed = [10, 90].map((outputCompression) => drawn({ outputFormat: 'jpeg', outputCompression }))
  const [less, more] = await Promise.all(compressed)
  expect(less?.size).toBeLessThan(more?.size ?? 0)
})

test('a value that the service refuses is reported with its words', async () => {
  const call = generateImage({ client, prompt: 'a cat', outputFormat: 'jpeg', background: 'transparent' })
  await expect(call).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('"background" cannot be "transparent" for a JPEG'),
  })
})

test('partial images come as progress, in more and more detail, before the image', async () => {
  const artifacts = memoryArtifacts()
  const model = calling({ name: 'generate_image', arguments: { prompt: 'a red sailboat', size: '96x64' } })
  const tools = mediaTools({ client, request: { image: { partialImages: 3 } } })
  const seen: { partialImage: Artifact; index: number }[] = []
  const result = await new Agent({ model, tools, artifacts }).run('Draw.', {
    observe: (event) => event.type === 'tool-progress' && seen.push(event.value as (typeof seen)[number]),
  })
  expect(seen.map(({ index }) => index)).toEqual([0, 1, 2])
  const ids = [...seen.map(({ partialImage }) => partialImage.id), ...result.artifacts.map(({ id }) => id)]
  expect(new Set(ids).size).toBe(4)
  for (const { partialImage } of seen) {
    expect(partialImage).toMatchObject({ width: 96, height: 64, mediaType: 'image/png' })
    expect((await bytesOf(artifacts, partialImage)).length).toBe(partialImage.size)
  }
  const plain = await generateImage({ client, prompt: 'a red sailboat', size: '96x64' })
  expect(result.artifacts[0]?.sha256).toBe(plain.images[0]?.sha256)
})

test('a streamed edit returns the image of a plain one', async () => {
  const { images } = await generateImage({ client, prompt: 'a house', size: '64x64' })
  const [image] = images
  if (!image) throw new Error('Nothing was drawn.')
  const edit = { client, image, prompt: 'add a red balloon' } as const
  const streamed = await editImage({ ...edit, request: { edit: { partialImages: 2 } } })
  expect(streamed.images[0]?.sha256).toBe((await editImage(edit)).images[0]?.sha256)
})

test('speech has the requested speed', async () => {
  const ms = async (speed: number) => {
    const { audio } = await speak({ client, input: 'Good night, and sleep well.', format: 'mp3', speed })
    return audio.durationMs ?? 0
  }
  const [slow, fast] = [await ms(0.5), await ms(2)]
  expect(slow / fast).toBeGreaterThan(3)
})

slowTest('times and subtitles of a recording that is sent in chunks', { timeout: 120_000 }, async () => {
  const input = 'The weather is fine today. We will go to the market. The train was late again.'
  const { audio } = await speak({ client, input, voice: 'onyx' })
  const times = { client, file: audio, language: 'en' } as const
  const whole = await transcribeAudio({ ...times, timestamps: 'word' })
  const chunks = await transcribeAudio({
    ...times,
    timestamps: 'word',
    subtitles: 'srt',
    audio: { maxSeconds: 4 },
  })
  expect(chunks.text).toBe(whole.text)
  expect(chunks.words.map(({ text }) => text)).toEqual(whole.words.map(({ text }) => text))
  for (const [i, { start }] of chunks.words.entries())
    expect(Math.abs(start - (whole.words[i]?.start ?? Number.NaN))).toBeLessThan(0.3)
  const text = new TextDecoder().decode(await chunks.subtitles.read())
  expect(text).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nthe weather is fine today/)
  await expect(transcribeAudio({ ...times, language: 'es' })).rejects.toThrow(
    'The recogniser only supports English',
  )
})
