import { expect, test } from 'vitest'
import { base64, filledStore, wav } from '../../test/artifacts.js'
import { type Answer, type Arrived, startMediaServer } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import type { MediaOptions } from '../options.js'
import { editImage } from '../tools/edit-image.js'
import { generateImage } from '../tools/generate-image.js'
import { mediaTools } from '../tools/media-tools.js'
import { speak } from '../tools/speak.js'
import { varyImage } from '../tools/vary-image.js'
import { dialects, toDialect } from './dialect.js'

const drawn: Answer = { body: { data: [{ b64_json: base64(png(4, 4)) }] } }
const refusal = (status: number, message: string): Answer => ({ status, body: { error: { message } } })

async function serve(answer: (request: Arrived) => Answer, options: MediaOptions = {}) {
  const { store, image } = await filledStore()
  const server = await startMediaServer(answer)
  return { server, image, options: { client: server.client, artifacts: store, ...options } }
}

test('accepts a dialect by name or by differences', () => {
  expect(toDialect()).toBe(dialects.interface)
  expect(toDialect('openai')).toBe(dialects.openai)
  expect(toDialect({ edits: 'json' })).toEqual({ ...dialects.interface, edits: 'json' })
})

test('uses the documented fields by default', async () => {
  const spoken = await serve(() => ({ body: wav(), headers: { 'content-type': 'audio/wav' } }))
  await speak(spoken.options).call({ input: 'Hello.', format: 'wav' })
  expect(spoken.server.arrived[0]?.fields).toMatchObject({ format: 'wav' })
  expect(spoken.server.arrived[0]?.fields).not.toHaveProperty('response_format')
  const { server, options } = await serve(() => drawn)
  await generateImage(options).call({ prompt: 'a cat' })
  expect(server.arrived[0]?.fields).toEqual({ model: 'gpt-image-1', prompt: 'a cat' })
})

test('asks a local server for base64, and for speech by response_format', async () => {
  const { server, options, image } = await serve(
    ({ path }) =>
      path.endsWith('speech') ? { body: wav(), headers: { 'content-type': 'audio/wav' } } : drawn,
    { dialect: 'local' },
  )
  await speak(options).call({ input: 'Hello.', format: 'wav' })
  await generateImage(options).call({ prompt: 'a cat' })
  await editImage(options).call({ image, prompt: 'a hat' })
  const [speech, drawing, edit] = server.arrived.map(({ fields }) => fields)
  expect(speech).toMatchObject({ response_format: 'wav' })
  expect(speech).not.toHaveProperty('format')
  expect(drawing).toMatchObject({ response_format: 'b64_json' })
  expect(edit).toMatchObject({ response_format: 'b64_json' })
})

test('sends nothing to a server without variations, and names the endpoint', async () => {
  const { server, options, image } = await serve(() => drawn, { dialect: 'local' })
  await expect(varyImage(options).call({ image })).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('This server does not offer /images/variations.'),
  })
  expect(server.arrived).toEqual([])
})

test.each([404, 405, 501])('learns missing variations from %i, once', async (status) => {
  const { server, options, image } = await serve(() => refusal(status, 'No such route.'))
  const tool = varyImage(options)
  for (const _ of [1, 2]) await expect(tool.call({ image })).rejects.toMatchObject({ code: 'unsupported' })
  expect(server.arrived).toHaveLength(1)
})

test('learns nothing about the endpoint from a missing model', async () => {
  const { server, options, image } = await serve(() => refusal(404, 'The model "dall-e-2" does not exist.'))
  const tool = varyImage(options)
  for (const _ of [1, 2]) await expect(tool.call({ image })).rejects.toMatchObject({ code: 'not_found' })
  expect(server.arrived).toHaveLength(2)
})

test('sends an edit as JSON with data: URLs in that dialect', async () => {
  const { server, options, image } = await serve(() => drawn, { dialect: { edits: 'json' } })
  await editImage(options).call({ image, prompt: 'a hat', size: '64x48' })
  const [request] = server.arrived
  expect(request?.path).toBe('/v1/images/edits')
  expect(request?.headers['content-type']).toBe('application/json')
  expect(request?.fields).toEqual({
    model: 'gpt-image-1',
    image: `data:image/png;base64,${base64(png(64, 48))}`,
    prompt: 'a hat',
    size: '64x48',
  })
})

test.each([
  [415, 'Unsupported media type'],
  [400, 'Request body must be application/json'],
  [422, 'Could not parse JSON body'],
])('sends JSON after a form was rejected with %i "%s", and at once from then on', async (status, words) => {
  const { server, options, image } = await serve(({ headers }) =>
    headers['content-type'] === 'application/json' ? drawn : refusal(status, words),
  )
  const tool = editImage(options)
  for (const prompt of ['a hat', 'a tie'])
    expect(await tool.call({ image, prompt })).toMatchObject({ images: [{ width: 4 }] })
  const kinds = server.arrived.map(({ headers }) => headers['content-type']?.split(';')[0])
  expect(kinds).toEqual(['multipart/form-data', 'application/json', 'application/json'])
})

test('uses the other name of an unknown speech field, and remembers it', async () => {
  const { server, options } = await serve(({ fields }) =>
    'format' in fields
      ? refusal(400, 'Unknown parameter: format')
      : { body: wav(), headers: { 'content-type': 'audio/wav' } },
  )
  const tool = speak(options)
  for (const input of ['One.', 'Two.'])
    expect(await tool.call({ input, format: 'wav' })).toMatchObject({ audio: { mediaType: 'audio/wav' } })
  expect(server.arrived.map(({ fields }) => 'format' in fields)).toEqual([true, false, false])
})

test('omits an unknown response_format, and remembers it', async () => {
  const { server, options } = await serve(
    ({ fields }) =>
      'response_format' in fields ? refusal(400, "Unknown parameter: 'response_format'.") : drawn,
    { dialect: 'local' },
  )
  const tool = generateImage(options)
  for (const prompt of ['a cat', 'a dog']) await tool.call({ prompt })
  expect(server.arrived.map(({ fields }) => 'response_format' in fields)).toEqual([true, false, false])
})

test('throws an error about a value without retrying', async () => {
  const { server, options, image } = await serve(() => refusal(400, 'Your prompt was rejected.'))
  await expect(editImage(options).call({ image, prompt: 'a hat' })).rejects.toThrow(
    'Your prompt was rejected.',
  )
  await expect(generateImage(options).call({ prompt: 'a cat' })).rejects.toThrow('Your prompt was rejected.')
  expect(server.arrived).toHaveLength(2)
})

test('does not remember a guess that failed', async () => {
  const { server, options, image } = await serve(() => refusal(415, 'No.'))
  const tool = editImage(options)
  for (const prompt of ['a hat', 'a tie'])
    await expect(tool.call({ image, prompt })).rejects.toMatchObject({ status: 415 })
  const kinds = server.arrived.map(({ headers }) => headers['content-type']?.split(';')[0])
  const both = ['multipart/form-data', 'application/json']
  expect(kinds).toEqual([...both, ...both])
})

test('learns two differences in one request', async () => {
  const { server, options, image } = await serve(
    ({ headers, fields }) => {
      if (headers['content-type'] !== 'application/json') return refusal(415, 'No forms.')
      return 'response_format' in fields ? refusal(422, 'response_format: extra fields not permitted') : drawn
    },
    { dialect: 'local' },
  )
  const tool = editImage(options)
  for (const prompt of ['a hat', 'a tie']) await tool.call({ image, prompt })
  expect(server.arrived).toHaveLength(4)
  const keys = server.arrived.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(4)
})

test('shares the dialect between the tools of a list', async () => {
  const { server, options, image } = await serve(
    ({ fields }) =>
      'response_format' in fields ? refusal(400, 'Unknown parameter: response_format') : drawn,
    { dialect: { imageDelivery: 'url' } },
  )
  const [generate, , vary] = mediaTools(options)
  await generate.call({ prompt: 'a cat' })
  await vary.call({ image })
  expect(server.arrived.map(({ fields }) => 'response_format' in fields)).toEqual([true, false, false])
})
