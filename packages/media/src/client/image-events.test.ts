import { Agent, type Artifact, memoryArtifacts, type RunEvent } from '@capstan/core'
import { expect, test } from 'vitest'
import { base64, bytesOf, filledStore } from '../../test/artifacts.js'
import { calling } from '../../test/calling.js'
import { type Answer, type Arrived, startMediaServer, toEvents } from '../../test/media-server.js'
import { png } from '../../test/png.js'
import type { MediaOptions } from '../options.js'
import { editImage } from '../tools/edit-image.js'
import { generateImage } from '../tools/generate-image.js'

const [first, second, whole] = [png(8, 6), png(16, 12), png(64, 48)]
const partial = (bytes: Uint8Array, index: number, kind = 'image_generation') => ({
  type: `${kind}.partial_image`,
  partial_image_index: index,
  b64_json: base64(bytes),
})
const completed = (bytes: Uint8Array, kind = 'image_generation') => ({
  type: `${kind}.completed`,
  b64_json: base64(bytes),
})
const sse = { 'content-type': 'text/event-stream; charset=utf-8' }
const request: NonNullable<MediaOptions['request']> = {
  image: { partialImages: 2 },
  edit: { partialImages: 1 },
}

/** Runs an agent that draws once, against a server. */
async function draw(answer: (request: Arrived) => Answer | undefined, args: object = {}) {
  const server = await startMediaServer(answer)
  const artifacts = memoryArtifacts()
  const events: RunEvent[] = []
  const model = calling({ name: 'generate_image', arguments: { prompt: 'a cat', ...args } })
  const tools = [generateImage({ client: server.client, request })]
  const result = await new Agent({ model, tools, artifacts }).run('Draw.', {
    observe: (event) => events.push(event),
  })
  const progress = events.flatMap((event) => (event.type === 'tool-progress' ? [event.value] : []))
  return { result, events, artifacts, server, progress: progress as Partial[] }
}

interface Partial {
  readonly partialImage: Artifact<'image'>
  readonly index: number
}

test('reports partial images as progress by reference, and returns the complete one', async () => {
  const answer = () => ({
    body: toEvents(partial(first, 0), partial(second, 1), completed(whole)),
    headers: sse,
  })
  const { result, events, artifacts, server, progress } = await draw(answer)
  expect(server.arrived[0]?.fields).toMatchObject({ stream: true, partial_images: 2 })
  expect(progress.map(({ index, partialImage }) => [index, partialImage.width])).toEqual([
    [0, 8],
    [1, 16],
  ])
  for (const [i, bytes] of [first, second].entries())
    expect(await bytesOf(artifacts, progress[i]?.partialImage as Artifact)).toEqual(bytes)
  expect(result.artifacts.map(({ width }) => width)).toEqual([64])
  expect(result.artifacts[0]?.origin).toMatchObject({ prompt: 'a cat', model: 'gpt-image-1' })
  for (const held of [events, result.messages, result.state])
    for (const bytes of [first, second, whole])
      expect(JSON.stringify(held)).not.toContain(base64(bytes).slice(40, 80))
})

test('a partial image is there before the next one is sent', async () => {
  let seen = () => {}
  const reported = new Promise<void>((resolve) => {
    seen = resolve
  })
  const server = await startMediaServer(() => ({
    headers: sse,
    body: (async function* () {
      yield `data: ${JSON.stringify(partial(first, 0))}\n\n`
      await reported
      yield toEvents(completed(whole))
    })(),
  }))
  const model = calling({ name: 'generate_image', arguments: { prompt: 'a cat' } })
  const tools = [generateImage({ client: server.client, request })]
  const { artifacts } = await new Agent({ model, tools }).run('Draw.', {
    observe: (event) => event.type === 'tool-progress' && seen(),
  })
  expect(artifacts).toHaveLength(1)
})

test('streams an edit in the same way', async () => {
  const { store: artifacts, image } = await filledStore()
  const events = toEvents(partial(first, 0, 'image_edit'), completed(second, 'image_edit'))
  const { client, arrived } = await startMediaServer(() => ({ body: events, headers: sse }))
  const { images } = await editImage({ client, artifacts, request, image, prompt: 'a hat' })
  expect(arrived[0]?.fields).toMatchObject({ stream: 'true', partial_images: '1' })
  expect(images.map(({ width, parents }) => [width, parents])).toEqual([[16, [image.id]]])
  const [made] = (await artifacts.list()).filter(({ width }) => width === 8)
  expect(made).toMatchObject({ parents: [image.id], origin: { prompt: 'a hat' } })
})

test.each<[string, Answer]>([
  ['ignores the stream', { body: { data: [{ b64_json: base64(whole) }] } }],
  [
    'sends its plain response as one event',
    { body: toEvents({ data: [{ b64_json: base64(whole) }] }), headers: sse },
  ],
  [
    'sends events under another type',
    { body: toEvents(completed(whole)), headers: { 'content-type': 'text/plain' } },
  ],
  [
    'names its events outside of their data',
    { body: `event: completed\ndata: {"b64_json":"${base64(whole)}"}\n\n`, headers: sse },
  ],
  [
    'ends with an event without an image',
    {
      body: toEvents(
        { ...completed(whole), type: 'image_generation.partial_succeeded' },
        { type: 'image_generation.completed', usage: {} },
      ),
      headers: sse,
    },
  ],
  [
    'sends heartbeats, events of other types and no end mark',
    {
      body: `: ping\n\ndata: {"type":"queued"}\n\n${toEvents(completed(whole)).replace(/data: \[DONE.*/s, '')}`,
      headers: sse,
    },
  ],
  [
    'sends a partial image that is cut off',
    { body: toEvents(partial(whole.subarray(0, 40), 0), completed(whole)), headers: sse },
  ],
  ['sends a picture', { body: whole, headers: { 'content-type': 'image/png' } }],
])('works as before with a server that %s', async (_, answer) => {
  const { result, progress } = await draw(() => answer)
  expect(result.artifacts.map(({ width }) => width)).toEqual([64])
  expect(progress).toEqual([])
})

test('several images of a stream are returned in order, each with its partial images', async () => {
  const body = toEvents(partial(first, 0), completed(second), partial(first, 0), completed(whole))
  const { result, progress } = await draw(() => ({ body, headers: sse }), { n: 2 })
  expect(result.artifacts.map(({ width }) => width)).toEqual([16, 64])
  expect(progress).toHaveLength(2)
})

test('stores no more partial images than were asked for', async () => {
  const many = Array.from({ length: 9 }, (_, i) => partial(png(8 + i, 6), i))
  const { artifacts, progress } = await draw(() => ({
    body: toEvents(...many, completed(whole)),
    headers: sse,
  }))
  expect(progress).toHaveLength(2)
  expect(await artifacts.list()).toHaveLength(3)
})

test('a partial image is not listed as an image that a model may use', async () => {
  const body = toEvents(partial(first, 0), completed(whole))
  const server = await startMediaServer(() => ({ body, headers: sse }))
  const artifacts = memoryArtifacts()
  const options = { client: server.client, request }
  const model = calling(
    { name: 'generate_image', arguments: { prompt: 'a cat' } },
    { name: 'edit_image', arguments: { image: 'img_aaaaaaaa', prompt: 'a hat' } },
  )
  const tools = [generateImage(options), editImage(options)]
  const { toolCalls } = await new Agent({ model, tools, artifacts }).run('Draw.')
  const [complete] = (await artifacts.list()).filter(({ width }) => width === 64)
  expect(toolCalls[1]?.content).toContain(`The newest are: ${complete?.id}.`)
})

const refusal = (status: number, body: object): Answer => ({ status, body })

test.each([
  [400, { error: { message: '"stream" is not supported for images.' } }],
  [400, { error: { message: "Unknown parameter: 'partial_images'." } }],
  [
    422,
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream'], msg: 'Extra inputs are not permitted' }] },
  ],
  [501, { error: { message: 'Not implemented.' } }],
])(
  'asks a server that refuses the stream with %i again without it, and remembers that',
  async (status, error) => {
    const { client, arrived } = await startMediaServer(({ fields }) =>
      'stream' in fields ? refusal(status, error) : { body: { data: [{ b64_json: base64(whole) }] } },
    )
    const tool = generateImage({ client, request })
    for (const prompt of ['a cat', 'a dog']) expect((await tool.call({ prompt })).images).toHaveLength(1)
    expect(arrived.map(({ fields }) => 'partial_images' in fields)).toEqual([true, false, false])
  },
)

test('a server that refuses the prompt is asked once', async () => {
  const { client, arrived } = await startMediaServer(() =>
    refusal(400, { error: { message: 'Your prompt was rejected.' } }),
  )
  await expect(generateImage({ client, request, prompt: 'a cat' })).rejects.toThrow(
    'Your prompt was rejected.',
  )
  expect(arrived).toHaveLength(1)
})

test('a dialect without streams sends none', async () => {
  const { client, arrived } = await startMediaServer(() => ({
    body: { data: [{ b64_json: base64(whole) }] },
  }))
  await generateImage({ client, request, dialect: { imageStream: false }, prompt: 'a cat' })
  expect(arrived[0]?.fields).toEqual({ model: 'gpt-image-1', prompt: 'a cat' })
})

test('without partial images no stream is asked for, and nothing is learned about streams', async () => {
  const { client, arrived } = await startMediaServer(() =>
    refusal(400, { error: { message: 'No streams.' } }),
  )
  await expect(generateImage({ client, prompt: 'a cat' })).rejects.toThrow('No streams.')
  expect(arrived.map(({ fields }) => fields)).toEqual([{ model: 'gpt-image-1', prompt: 'a cat' }])
})

test.each<[string, string, object]>([
  [
    'an error event',
    `data: ${JSON.stringify(partial(first, 0))}\n\nevent: error\ndata: {"error":{"message":"Out of paint."}}\n\n`,
    { code: 'api', message: '/images/generations ended its stream with an error: Out of paint.' },
  ],
  [
    'an end without an image',
    toEvents(partial(first, 0)),
    { code: 'truncated', retryable: true, message: expect.stringContaining('without an image') },
  ],
  ['an event that is not JSON', 'data: <html>\n\n', { code: 'invalid_response' }],
])('reports %s, and returns nothing', async (_, body, error) => {
  const { client } = await startMediaServer(() => ({ body, headers: sse }))
  await expect(generateImage({ client, request, prompt: 'a cat' })).rejects.toMatchObject(error)
})

test('reports a connection that is lost between two images', async () => {
  const { client } = await startMediaServer(() => ({
    headers: sse,
    body: (async function* () {
      yield `data: ${JSON.stringify(partial(first, 0))}\n\n`
      throw new Error('The power is off.')
    })(),
  }))
  await expect(generateImage({ client, request, prompt: 'a cat' })).rejects.toMatchObject({
    code: 'network',
    message: expect.stringContaining('/images/generations'),
  })
})
