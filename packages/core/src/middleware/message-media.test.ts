import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { call, scriptedModel, text } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { Agent } from '../agent.js'
import { readArtifactBytes } from '../artifacts/read-artifacts.js'
import { chatModel } from '../model/chat-model.js'
import { memorySessions } from '../sessions/session.js'
import { jsonSchema } from '../tools/json-schema.js'
import { tool } from '../tools/tool.js'
import type { RunEvent } from '../types/event.js'
import type { AssistantMessage } from '../types/message.js'
import type { Limits } from '../types/state.js'
import { showImages } from './show-images.js'

const pngOf = (length: number, seed = 7919) => {
  const bytes = Uint8Array.from({ length }, (_, at) => (at * seed) % 251)
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return bytes
}
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const png = pngOf(3000)
const dataUrl = `data:image/png;base64,${base64(png)}`
const longBase64 = /[A-Za-z0-9+/]{1000}/

type Served = Readonly<Record<string, unknown>>

/** A server that answers each request with one of these messages, streamed as these deltas when asked to. */
async function serving(...replies: readonly (Served | readonly Served[])[]) {
  const requests: { messages: AssistantMessage[] }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const reply = replies[requests.length] ?? { role: 'assistant', content: 'Nothing left.' }
    requests.push(JSON.parse(body))
    if (!Array.isArray(reply)) {
      const choices = [{ index: 0, message: { role: 'assistant', ...reply }, finish_reason: 'stop' }]
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices }))
      return
    }
    response.setHeader('content-type', 'text/event-stream')
    for (const [at, delta] of reply.entries()) {
      const reason = at === reply.length - 1 ? 'stop' : null
      const choices = [{ index: 0, delta, finish_reason: reason }]
      response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const model = chatModel('painter', { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none' })
  return { model, requests }
}

async function asking(replies: readonly (Served | readonly Served[])[], limits: Limits = {}) {
  const { model, requests } = await serving(...replies)
  const events: RunEvent[] = []
  const agent = new Agent({ model, limits, observe: (event) => events.push(event) })
  const isStreamed = Array.isArray(replies[0])
  const result = isStreamed ? await agent.stream('Draw.').result : await agent.run('Draw.')
  return { agent, result, requests, events, told: JSON.stringify([result, events, requests]) }
}

const image = { type: 'image_url', image_url: { url: dataUrl } }

// Where servers put the pictures of a reply.
const forms: readonly (readonly [string, Served | readonly Served[]])[] = [
  // openrouter.ai/docs/features/multimodal/image-generation, vercel.com/docs/ai-gateway/openai-compat/image-generation
  ['message.images', { content: 'A cat.', images: [{ ...image, index: 0 }] }],
  [
    'message.images, streamed',
    [{ content: 'A ' }, { content: 'cat.' }, { images: [{ ...image, index: 0 }] }],
  ],
  // github.com/BerriAI/litellm/issues/9237: before `images`
  ['message.image', { content: 'A cat.', image: { url: dataUrl, detail: 'auto' } }],
  ['image_url parts', { content: [{ type: 'text', text: 'A cat.' }, image] }],
  ['image_url parts, streamed', [{ content: 'A cat.' }, { content: [image] }]],
  // github.com/LibreChat-AI/agents/pull/41: blocks of other interfaces, passed on
  [
    'output_image parts',
    {
      content: [
        { type: 'text', text: 'A cat.' },
        { type: 'output_image', image_url: dataUrl },
      ],
    },
  ],
  ['b64_json', { content: 'A cat.', images: [{ b64_json: base64(png), revised_prompt: 'cat' }] }],
  ['b64_json of the message', { content: 'A cat.', b64_json: base64(png) }],
  // github.com/mozilla-ai/any-llm/pull/1344, ai.google.dev/api/caching#Blob: parts of Gemini
  [
    'inline_data',
    { content: [{ text: 'A cat.' }, { inline_data: { mime_type: 'image/png', data: base64(png) } }] },
  ],
  [
    'inlineData',
    { content: [{ text: 'A cat.' }, { inlineData: { mimeType: 'image/png', data: base64(png) } }] },
  ],
  [
    'base64 of the URL alphabet',
    { content: 'A cat.', images: [{ b64_json: Buffer.from(png).toString('base64url') }] },
  ],
]

test.each(forms)('the picture of a reply becomes an artifact: %s', async (_name, reply) => {
  const { agent, result, requests, events, told } = await asking([reply])
  expect(result).toMatchObject({ stopReason: 'done', text: 'A cat.', steps: 1 })
  expect(requests).toHaveLength(1)
  const [artifact] = result.artifacts
  expect(result.artifacts).toMatchObject([
    {
      kind: 'image',
      mediaType: 'image/png',
      bytes: 3000,
      origin: { model: 'painter', runId: result.state.runId },
    },
  ])
  expect(Buffer.from(await readArtifactBytes(agent.artifacts, artifact?.id ?? '')).equals(png)).toBe(true)
  expect(result.messages.at(-1)).toEqual({
    role: 'assistant',
    content: [
      { type: 'text', text: 'A cat.' },
      { type: 'text', text: `\n\nAttached: ${artifact?.id} (image/png, 3000 bytes)` },
    ],
    media: [{ artifact: artifact?.id }],
  })
  expect(events.filter(({ type }) => type === 'artifact-stored')).toMatchObject([
    { step: 0, model: 'painter', artifact },
  ])
  expect(told).not.toMatch(longBase64)
})

test.each([
  ['whole', { content: null, images: [image] }],
  ['streamed', [{ content: '' }, { images: [image] }]],
] as const)('a reply that is a picture alone is an answer, %s', async (_name, reply) => {
  const { result, requests } = await asking([reply])
  expect(requests).toHaveLength(1)
  expect(result).toMatchObject({ stopReason: 'done', text: '', steps: 1, artifacts: [{ bytes: 3000 }] })
  expect(result.incomplete).toBeUndefined()
})

// platform.openai.com/docs/guides/audio; github.com/openai/openai-openapi/issues/577 for the streamed form
const samples = pngOf(3000, 13).fill(7, 0, 8)
const wav = Uint8Array.of(...Buffer.from('RIFF\0\0\0\0WAVE'), ...samples)

test('the audio of a reply becomes an artifact, and its transcript the text', async () => {
  const audio = { id: 'audio_1', data: base64(wav), expires_at: 1, transcript: 'Hello there.' }
  const { result, told } = await asking([{ content: null, audio }])
  expect(result).toMatchObject({
    text: 'Hello there.',
    artifacts: [{ kind: 'audio', mediaType: 'audio/wav' }],
  })
  expect(result.messages.at(-1)).not.toHaveProperty('audio')
  expect(told).not.toMatch(longBase64)
})

test('audio that is streamed in pieces is one artifact, and its transcript is streamed as text', async () => {
  const half = 1501
  const { agent, result, events, told } = await asking([
    [
      { role: 'assistant', content: null, audio: { id: 'audio_1', transcript: '' } },
      { audio: { transcript: 'Hello ' } },
      { audio: { data: base64(samples.subarray(0, half)) } },
      { audio: { transcript: 'there.' } },
      { audio: { data: base64(samples.subarray(half)) } },
      { audio: { expires_at: 1729234747 } },
    ],
  ])
  expect(result).toMatchObject({
    text: 'Hello there.',
    artifacts: [{ kind: 'audio', mediaType: 'audio/pcm', bytes: 3000 }],
  })
  const stored = await readArtifactBytes(agent.artifacts, result.artifacts[0]?.id ?? '')
  expect(Buffer.from(stored).equals(samples)).toBe(true)
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
  expect(deltas).toEqual(['Hello ', 'there.'])
  expect(told).not.toMatch(longBase64)
})

test('a picture in markdown is replaced in its place', async () => {
  const { result, told } = await asking([{ content: `Look: ![cat](${dataUrl}) Nice?` }])
  const { id } = result.artifacts[0] ?? {}
  expect(result.text).toBe(`Look: ![cat](${id} (image/png, 3000 bytes)) Nice?`)
  expect(told).not.toMatch(longBase64)
})

test.each([1, 7, 5000])(
  'base64 in streamed text is not streamed, in deltas of %i characters',
  async (size) => {
    const whole = `Look: ![cat](${dataUrl}) Nice? A hash: ${'ab12'.repeat(80)} and more.`
    const deltas = whole.match(new RegExp(`.{1,${size}}`, 'gs')) ?? []
    const { result, events, told } = await asking([deltas.map((content) => ({ content }))])
    const name = `${result.artifacts[0]?.id} (image/png, 3000 bytes)`
    expect(result.text).toBe(whole.replace(dataUrl, name))
    const streamed = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')
    expect(streamed.startsWith('Look: ![cat](')).toBe(true)
    expect(streamed.endsWith(result.text.slice(result.text.indexOf(') Nice?')))).toBe(true)
    expect(streamed).not.toMatch(longBase64)
    expect(told).not.toMatch(longBase64)
  },
)

test('a long word in streamed text is shown once it ends', async () => {
  const words = ['Hash ', ...('0123456789abcdef'.repeat(30).match(/.{1,5}/g) ?? []), ' ends', '.']
  const { result, events } = await asking([words.map((content) => ({ content }))])
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
  expect(result.text).toBe(words.join(''))
  expect(deltas.join('')).toBe(result.text)
})

test.each([
  [
    'images',
    { content: '', images: [{ type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }] },
  ],
  ['parts', { content: [{ type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }] }],
] as const)('a picture behind an https URL stays as it is, and is an answer: %s', async (_name, reply) => {
  const { result, requests } = await asking([reply])
  expect(requests).toHaveLength(1)
  expect(result.artifacts).toEqual([])
  expect(result.messages.at(-1)).toMatchObject(
    reply.content === '' ? { images: reply.images } : { role: 'assistant' },
  )
  expect(JSON.stringify(result.messages.at(-1)?.content)).toContain('Attached: https://example.com/cat.png')
})

test.each([
  ['artifacts', { artifacts: 1 }],
  ['artifactBytes', { artifactBytes: 4000 }],
] as const)(
  'a file beyond limits.%s is not kept, the history says so, and the run ends at the limit',
  async (limit, limits) => {
    const other = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(pngOf(2500))}` } }
    const { result, events } = await asking([{ content: 'Two.', images: [image, other] }], limits)
    expect(result).toMatchObject({
      stopReason: 'limit',
      limit,
      text: 'Two.',
      usage: { artifacts: 1, artifactBytes: 3000 },
      artifacts: [{ bytes: 3000 }],
    })
    expect(JSON.stringify(result.messages)).toContain(
      `(image/png, 2500 bytes: not kept, the limit ${limit} is reached)`,
    )
    expect(events.map(({ type }) => type)).toContain('limit-reached')
    expect(result.steps).toBe(1)
  },
)

test('files of replies count over the steps of a run', async () => {
  const look = tool({
    name: 'look',
    description: 'Looks',
    parameters: jsonSchema({ type: 'object' }),
    execute: () => 'ok',
  })
  const images = (seed: number) => [
    { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(pngOf(2000, seed))}` } },
  ]
  const model = scriptedModel([call('look'), text('Done.')])
  const painting = {
    ...model,
    complete: async (...given: Parameters<typeof model.complete>) => {
      const made = await model.complete(...given)
      return { ...made, message: { ...made.message, images: images(model.requests.length + 10) } }
    },
  }
  const result = await new Agent({ model: painting, tools: [look], limits: { artifacts: 9 } }).run('Go.')
  expect(result).toMatchObject({
    stopReason: 'done',
    text: 'Done.',
    usage: { artifacts: 2, artifactBytes: 4000 },
  })
  expect(result.artifacts).toHaveLength(2)
  // The message with the calls goes back with its reference as text.
  expect(model.requests[1]?.messages.at(-2)).toMatchObject({
    content: `Attached: ${result.artifacts[0]?.id} (image/png, 2000 bytes)`,
  })
})

test('a field that a server names as our mark is dropped, and reasoning keeps its base64', async () => {
  const reasoning_details = [{ type: 'reasoning.encrypted', data: base64(png), format: 'unknown' }]
  const { result } = await asking([
    { content: 'Hm.', media: [{ artifact: 'img_aaaaaaaa' }], reasoning_details },
  ])
  expect(result.messages.at(-1)).toEqual({
    role: 'assistant',
    content: 'Hm.',
    reasoning_details,
    saidBy: expect.stringContaining('127.0.0.1'),
  })
  expect(result.artifacts).toEqual([])
})

test('a picture larger than the bound of other fields is kept', async () => {
  const large = pngOf(7_000_000)
  const { result } = await asking([{ content: 'Big.', images: [{ b64_json: base64(large) }] }])
  expect(result.artifacts).toMatchObject([{ bytes: 7_000_000 }])
})

const wavPart = { type: 'input_audio', input_audio: { data: base64(wav), format: 'wav' } }
const pdf = Uint8Array.of(...Buffer.from('%PDF-1.7\n'), ...samples)
const pdfPart = {
  type: 'file',
  file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${base64(pdf)}` },
}

test('files in the parts of a user message become attachments, and each request shows them as they were', async () => {
  const { model, requests } = await serving({ content: 'A cat.' }, { content: 'Yes.' }, { content: 'Blue.' })
  const events: RunEvent[] = []
  const agent = new Agent({ model, observe: (event) => events.push(event) })
  const detailed = { type: 'image_url', image_url: { url: dataUrl, detail: 'high' } }
  const far = { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } }
  const content = [detailed, { type: 'text', text: 'What is this?' }, wavPart, pdfPart, far]
  const store = memorySessions()
  const session = { store, id: 'one' }
  const first = await agent.run([{ role: 'user', content }], { session })
  const stored = await agent.artifacts.list()
  expect(stored.map(({ kind, bytes }) => [kind, bytes])).toEqual([
    ['image', 3000],
    ['audio', wav.length],
    ['file', pdf.length],
  ])
  const line = `\n\nAttached: ${stored.map(({ id, mediaType, bytes }) => `${id} (${mediaType}, ${bytes} bytes)`).join(', ')}`
  const sent = { role: 'user', content: [...content, { type: 'text', text: line }] }
  expect(first.messages[0]?.content).toEqual([content[1], far, { type: 'text', text: line }])
  await agent.run('Sure?', { session })
  await agent.run([...first.messages, { role: 'user', content: 'Which colour?' }])
  for (const { messages } of requests) expect(messages[0]).toEqual(sent)
  const kept = JSON.stringify([first, await store.load('one'), events])
  expect(kept).not.toMatch(longBase64)
  expect(kept).toContain(stored[0]?.id)
})

test('a picture whose artifact was deleted is named, not shown', async () => {
  const { model, requests } = await serving({ content: 'A cat.' }, { content: 'Gone.' })
  const agent = new Agent({ model })
  const first = await agent.run([{ role: 'user', content: [image] }])
  for (const { id } of await agent.artifacts.list()) await agent.artifacts.delete(id)
  await agent.run(JSON.parse(JSON.stringify([...first.messages, { role: 'user', content: 'Again?' }])))
  expect(requests[1]?.messages[0]).toEqual({ role: 'user', content: first.messages[0]?.content })
})

test('a state with base64 in a part stays as it is', async () => {
  const { model, requests } = await serving({ content: 'A cat.' })
  const agent = new Agent({ model })
  const state = await agent.prepare('Look.')
  const old = { ...state, messages: [{ role: 'user' as const, content: [image] }] }
  const { messages } = await agent.run(old)
  expect(messages[0]).toEqual(old.messages[0])
  expect(requests[0]?.messages).toEqual(old.messages)
})

test.each([
  [5, 'words'],
  [[null, 5, { artifact: 1 }, { artifact: 'img_aaaaaaaa', shown: { at: 'x' } }], 'words'],
  [{ a: 1 }, [{ type: 'text', text: 'words' }]],
])('a field %j that an old conversation has from a server changes nothing', async (media, content) => {
  const { model, requests } = await serving({ content: 'Yes.' })
  const messages = [
    { role: 'user', content: 'A.', media },
    { role: 'assistant', content, media },
    { role: 'user', content: 'B.' },
  ] as never
  const result = await new Agent({ model, middleware: [showImages()] }).run(messages)
  expect(result.text).toBe('Yes.')
  expect(JSON.stringify(requests[0])).toContain('words')
  expect(JSON.stringify(requests[0])).not.toContain('media')
})

test('a session with base64 in a part goes on, and its state can be resumed', async () => {
  const { model } = await serving({ content: 'Too late.' }, { content: 'A cat.' })
  const store = memorySessions()
  await store.append(
    'old',
    [
      { role: 'user', content: [image] },
      { role: 'assistant', content: 'Hm.' },
    ],
    0,
  )
  const session = { store, id: 'old' }
  const agent = new Agent({ model, limits: { steps: 0 } })
  const { state } = await agent.run('Well?', { session })
  expect(state.messages[0]?.content).toEqual([image])
  const result = await agent.run(state, { session, limits: { steps: 1 } })
  expect(result.text).toBe('A cat.')
})

test('a prepared state, and results of tools in given messages, have no base64', async () => {
  const agent = new Agent({ model: 'm' })
  const state = await agent.prepare([
    { role: 'user', content: [image] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: `Made ${dataUrl}.` },
  ])
  const [artifact] = await agent.artifacts.list()
  expect(JSON.stringify(state)).not.toMatch(longBase64)
  expect(state.messages[2]?.content).toBe(`Made ${artifact?.id} (image/png, 3000 bytes).`)
})

test("a model with vision sees the pictures of its last answer with the user's next message, others read of them", async () => {
  const next = { role: 'user', content: 'Make it blue.' } as const
  for (const sees of [true, false]) {
    const { model, requests } = await serving(
      { content: 'A cat.', images: [image] },
      { content: 'Blue.' },
      { content: 'Yes.' },
    )
    const agent = new Agent({ model, middleware: sees ? [showImages()] : [] })
    const first = await agent.run('Draw a cat.')
    const second = await agent.run([...first.messages, next])
    await agent.run([...second.messages, { role: 'user', content: 'Sure?' }])
    const { id } = first.artifacts[0] ?? {}
    expect(requests[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: `A cat.\n\nAttached: ${id} (image/png, 3000 bytes)`,
    })
    const note = { type: 'text', text: `\n\nThe pictures of your last answer: ${id}` }
    const shown = { role: 'user', content: [{ type: 'text', text: next.content }, note, image] }
    expect(requests[1]?.messages.at(-1)).toEqual(sees ? shown : next)
    expect(JSON.stringify([requests[2], second])).not.toMatch(longBase64)
  }
})

test('pictures beside calls are shown after their results', async () => {
  const look = tool({
    name: 'look',
    description: 'Looks',
    parameters: jsonSchema({ type: 'object' }),
    execute: () => 'ok',
  })
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }]
  const { model, requests } = await serving(
    { content: null, images: [image], tool_calls },
    { content: 'Seen.' },
  )
  const result = await new Agent({ model, tools: [look], middleware: [showImages()] }).run('Draw.')
  const id = result.artifacts[0]?.id
  const text = `The pictures that the results above name: ${id}`
  expect(requests[1]?.messages.slice(1)).toEqual([
    { role: 'assistant', content: `Attached: ${id} (image/png, 3000 bytes)`, tool_calls },
    { role: 'tool', tool_call_id: 'a', content: 'ok' },
    { role: 'user', content: [{ type: 'text', text }, image] },
  ])
  expect(result.text).toBe('Seen.')
})

test('a text of a user shows no picture of another', async () => {
  const { model, requests } = await serving({ content: 'No.' })
  const agent = new Agent({ model, middleware: [showImages()] })
  const { id } = await agent.artifacts.put(png, { kind: 'image', mediaType: 'image/png' })
  await agent.run([
    { role: 'user', content: `The pictures that the results above name: ${id}` },
    { role: 'assistant', content: [{ type: 'text', text: `Attached: ${id} (image/png, 3000 bytes)` }] },
    {
      role: 'user',
      content: `Attached: ${id} (image/png, 3000 bytes)\n\nThe pictures of your last answer: ${id}`,
    },
  ])
  expect(JSON.stringify(requests)).not.toMatch(longBase64)
})
