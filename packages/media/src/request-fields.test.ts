import { Agent, memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { base64, filledStore, wav } from '../test/artifacts.js'
import { calling } from '../test/calling.js'
import { type Answer, type Arrived, startMediaServer } from '../test/media-server.js'
import { png } from '../test/png.js'
import type { MediaOptions } from './options.js'
import { mediaTools } from './tools/media-tools.js'

const answers = ({ path }: Arrived): Answer => {
  if (path.endsWith('speech')) return { body: wav(), headers: { 'content-type': 'audio/wav' } }
  return { body: { text: 'Hello.', data: [{ b64_json: base64(png(4, 4)) }] } }
}

const request = {
  image: { quality: 'low', background: 'transparent', outputFormat: 'webp', outputCompression: 80, seed: 7 },
  edit: { quality: 'high', inputFidelity: 'high' },
  variation: { output_format: 'jpeg' },
  speech: { speed: 1.5, instructions: 'Whisper.' },
  transcription: { language: 'en', prompt: 'Capstan', temperature: 0.5 },
  translation: { prompt: 'Oslo' },
} as const satisfies MediaOptions['request']

test('sends the fields of each kind of request by the names of the interface', async () => {
  const { store: artifacts, image, recording } = await filledStore()
  const { client, arrived } = await startMediaServer(answers)
  const [generate, edit, vary, transcribe, translate, speak] = mediaTools({ client, artifacts, request })
  await generate.call({ prompt: 'a cat' })
  await edit.call({ image: image.id, prompt: 'a hat' })
  await vary.call({ image: image.id })
  await transcribe.call({ file: recording.id })
  await translate.call({ file: recording.id })
  await speak.call({ input: 'Hello' })
  expect(arrived.map(({ path, fields }) => [path.slice('/v1/'.length), fields])).toEqual([
    [
      'images/generations',
      {
        model: 'gpt-image-1',
        prompt: 'a cat',
        quality: 'low',
        background: 'transparent',
        output_format: 'webp',
        output_compression: 80,
        seed: 7,
      },
    ],
    ['images/edits', { model: 'gpt-image-1', prompt: 'a hat', quality: 'high', input_fidelity: 'high' }],
    ['images/variations', { model: 'dall-e-2', output_format: 'jpeg' }],
    ['audio/transcriptions', { model: 'whisper-1', language: 'en', prompt: 'Capstan', temperature: '0.5' }],
    ['audio/translations', { model: 'whisper-1', prompt: 'Oslo' }],
    [
      'audio/speech',
      { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello', speed: 1.5, instructions: 'Whisper.' },
    ],
  ])
})

test('arguments of a call count before the fields of the options', async () => {
  const { client, arrived } = await startMediaServer(answers)
  const [generate, , , , , speak] = mediaTools({ client, request })
  await generate.call({ prompt: 'a cat', quality: 'high', outputFormat: 'png' })
  await speak.call({ input: 'Hello', speed: 2 })
  expect(arrived[0]?.fields).toMatchObject({ quality: 'high', output_format: 'png', seed: 7 })
  expect(arrived[1]?.fields).toMatchObject({ speed: 2, instructions: 'Whisper.' })
})

test('models are offered the chosen fields only, and other fields of their calls are not sent', async () => {
  const { client, arrived } = await startMediaServer(answers)
  const tools = mediaTools({ client, parameters: { image: ['quality'], speech: ['speed', 'instructions'] } })
  const names = tools.map(({ definition }) =>
    Object.keys(Object(definition.function.parameters.properties) as object),
  )
  expect(names).toEqual([
    ['prompt', 'size', 'n', 'quality'],
    ['image', 'mask', 'prompt', 'size', 'region'],
    ['image', 'n', 'size'],
    ['file'],
    ['file'],
    ['input', 'voice', 'format', 'speed', 'instructions'],
  ])
  const given = { prompt: 'a cat', quality: 'low', background: 'transparent' }
  const model = calling(
    { name: 'generate_image', arguments: given },
    { name: 'speak', arguments: { input: 'Hello', speed: 0.5 } },
  )
  const { toolCalls } = await new Agent({ model, tools }).run('Draw and speak.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect(arrived[0]?.fields).toEqual({ model: 'gpt-image-1', prompt: 'a cat', quality: 'low' })
  expect(arrived[1]?.fields).toMatchObject({ speed: 0.5 })
})

test('a model that gives a field an impossible value reads the possible ones', async () => {
  const { client, arrived } = await startMediaServer(answers)
  const tools = mediaTools({ client, parameters: { image: ['background'] } })
  const model = calling({ name: 'generate_image', arguments: { prompt: 'a cat', background: 'blue' } })
  const { toolCalls } = await new Agent({ model, tools, artifacts: memoryArtifacts() }).run('Draw.')
  expect(toolCalls[0]).toMatchObject({ status: 'rejected', content: expect.stringContaining('transparent') })
  expect(arrived).toEqual([])
})

test.each<[object, string]>([
  [{ image: { model: 'flux' } }, 'request.image.model is set by the tool itself. Use the "models" option.'],
  [{ image: { prompt: 'x' } }, 'request.image.prompt is set by the tool itself. It is an argument'],
  [{ image: { stream: true } }, 'request.image.stream is set by the tool itself. Use partialImages.'],
  [
    { image: { partial_images: 2 } },
    'request.image.partial_images is set by the tool itself. Use partialImages.',
  ],
  [
    { image: { responseFormat: 'url' } },
    'request.image.responseFormat is set by the tool itself. Use the dialect option',
  ],
  [{ edit: { mask: 'x' } }, 'request.edit.mask is set by the tool itself.'],
  [{ variation: { n: 3 } }, 'request.variation.n is set by the tool itself.'],
  [{ speech: { voice: 'alloy' } }, 'request.speech.voice is set by the tool itself. Use the "voice" option.'],
  [
    { speech: { response_format: 'mp3' } },
    'request.speech.response_format is set by the tool itself. Use the "format" option.',
  ],
  [{ transcription: { timestamp_granularities: ['word'] } }, 'is set by the tool itself. Use timestamps.'],
  [{ translation: { file: 'x' } }, 'request.translation.file is set by the tool itself.'],
  [
    { image: { outputFormat: 'png', output_format: 'png' } },
    'request.image.outputFormat is also set as output_format.',
  ],
  [{ image: { outputformat: 'png' } }, 'request.image.outputformat is unknown. Did you mean "outputFormat"?'],
  [{ image: { outputFormat: 'gif' } }, 'request.image.outputFormat is not valid:'],
  [{ image: { output_format: 'gif' } }, 'request.image.output_format is not valid:'],
  [{ image: { partialImages: 'two' } }, 'request.image.partialImages is not valid:'],
  [{ speech: { speed: 9 } }, 'request.speech.speed is not valid:'],
  [{ translation: { timestamps: 'word' } }, 'request.translation.timestamps is not valid:'],
  [{ image: { seed: 7n } }, 'request.image.seed is a bigint, which cannot be sent.'],
  [{ images: {} }, 'request of a media tool has no option "images".'],
  [{ speech: 1.5 }, 'request of a media tool: speech is a number. Use an object.'],
])('refuses %o at once', (fields, message) => {
  expect(() => mediaTools({ request: fields as NonNullable<MediaOptions['request']> })).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
  )
})

test.each<[object, string]>([
  [
    { image: ['size'] },
    'parameters.image contains the unknown field "size". Models may choose: quality, background,',
  ],
  [
    { variation: ['style'] },
    'parameters.variation contains the unknown field "style". Models cannot choose any fields here.',
  ],
  [{ speak: ['speed'] }, 'parameters of a media tool has no option "speak".'],
  [{ speech: 'speed' }, 'parameters of a media tool: speech is a string. Use an array'],
])('refuses %o as parameters', (parameters, message) => {
  expect(() => mediaTools({ parameters: parameters as NonNullable<MediaOptions['parameters']> })).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
  )
})
