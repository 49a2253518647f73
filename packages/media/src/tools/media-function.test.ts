import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { base64, bytesOf, wav } from '../../test/artifacts.js'
import { type Answer, type Arrived, startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import { editImage } from './edit-image.js'
import { generateImage } from './generate-image.js'
import { speak } from './speak.js'
import { transcribeAudio, translateAudio } from './transcribe-audio.js'
import { varyImage } from './vary-image.js'

const answers = ({ path }: Arrived): Answer => {
  if (path.endsWith('speech')) return { body: wav(), headers: { 'content-type': 'audio/wav' } }
  return { body: { text: 'Hello.', data: [{ b64_json: base64(png(4, 4)) }] } }
}

test('each function is called in one go, with the result of another as its input', async () => {
  const { client, arrived } = await startMediaServer(answers)
  const { images } = await generateImage({ client, prompt: 'a cat', size: '64x64', quality: 'low' })
  const [image] = images
  if (!image) throw new Error('Nothing was drawn.')
  expect(await image.read()).toEqual(png(4, 4))
  const edited = await editImage({ client, image, prompt: 'a hat', inputFidelity: 'high' })
  const varied = await varyImage({ client, image, n: 2, models: { variation: 'flux' } })
  expect([edited, varied].map((result) => result.images.length)).toEqual([1, 1])
  const { audio } = await speak({ client, input: 'Hello', voice: 'nova', format: 'wav', speed: 2 })
  expect(await transcribeAudio({ client, file: audio, language: 'en' })).toEqual({ text: 'Hello.' })
  expect(await translateAudio({ client, file: audio, prompt: 'Oslo' })).toEqual({ text: 'Hello.' })
  expect(arrived.map(({ fields }) => fields)).toEqual([
    { model: 'gpt-image-1', prompt: 'a cat', size: '64x64', quality: 'low' },
    { model: 'gpt-image-1', prompt: 'a hat', input_fidelity: 'high' },
    { model: 'flux', n: '2' },
    { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'nova', format: 'wav', speed: 2 },
    { model: 'whisper-1', language: 'en' },
    { model: 'whisper-1', prompt: 'Oslo' },
  ])
})

test('results are in the given store', async () => {
  const { client } = await startMediaServer(answers)
  const artifacts = memoryArtifacts()
  const { audio } = await speak({ client, artifacts, input: 'Hello' })
  expect(await bytesOf(artifacts, audio)).toEqual(wav())
})

test('an abort ends a call with its reason', async () => {
  const controller = new AbortController()
  const { client } = await startMediaServer(() => {
    controller.abort(new Error('enough'))
    return undefined
  })
  await expect(speak({ client, input: 'Hello', signal: controller.signal })).rejects.toThrow('enough')
})

test('without an argument it is the tool, and a mistake in the options throws at once', () => {
  expect(generateImage({ models: { image: 'flux' } }).name).toBe('generate_image')
  expect(speak().definition.function.name).toBe('speak')
  expect(() => speak({ client: { baseURL: 'ftp://example.com' } })).toThrow('baseURL')
})

test('a mistake in a call rejects', async () => {
  const { client, arrived } = await startMediaServer(answers)
  const untyped = generateImage as unknown as (given: object) => Promise<unknown>
  await expect(untyped({ client, prompt: 'a cat', qualty: 'low' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('has no option "qualty"'),
  })
  await expect(untyped({ client, prompt: 7 })).rejects.toMatchObject({ code: 'invalid_arguments' })
  expect(arrived).toEqual([])
})

test.each([
  [generateImage, { prompt: 'a cat', maxRetries: 1 }, 'Did you mean "client.maxRetries"?'],
  [generateImage, { prompt: 'a cat', output_format: 'jpeg' }, 'Did you mean "outputFormat"?'],
  [generateImage, { prompt: 'a cat', providerOptions: {} }, 'Did you mean "request"?'],
  [generateImage, { prompt: 'a cat', seed: 7 }, 'Did you mean "request.image.seed"?'],
  [generateImage, { prompt: 'a cat', abortSignal: undefined }, 'Did you mean "signal"?'],
  [generateImage, 'a cat', 'Options: prompt, size, n,'],
  [editImage, { images: [], prompt: 'a hat' }, 'Did you mean "image"?'],
  [speak, { text: 'Hello' }, 'Did you mean "input"?'],
  [speak, { input: 'Hello', outputFormat: 'wav' }, 'Did you mean "format"?'],
  [transcribeAudio, { audio: new Uint8Array(9) }, 'file for the recording'],
])('a name of another framework is answered with the own one: %o %o', async (tool, given, advice) => {
  const untyped = tool as unknown as (given: unknown) => Promise<unknown>
  await expect((async () => untyped(given))()).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(advice),
  })
})

test('a path alone is answered with its form, and an unknown id with the missing artifact', async () => {
  const { client, arrived } = await startMediaServer(answers)
  const path = transcribeAudio({ client, file: './talk.wav' as never })
  await expect(path).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: '"file" is a path, not an id: ./talk.wav. Pass { path }.',
  })
  await expect(transcribeAudio({ client, file: 'aud_aaaaaaaa' })).rejects.toMatchObject({ code: 'not_found' })
  expect(arrived).toEqual([])
})
