import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import {
  base64,
  dataUrl,
  image,
  longBase64,
  png,
  pngOf,
  type Served,
  samples,
  serving,
  wav,
} from '../../../test/media-server.js'
import { readArtifactBytes } from '../../artifacts/memory-artifacts.js'
import { Agent } from '../../index.js'
import { memoryHost } from '../../run/memory-host.js'
import { jsonSchema } from '../../tools/json-schema.js'
import { tool } from '../../tools/tool.js'
import type { RunEvent } from '../../types/event.js'
import type { CreateHost, Step } from '../../types/host.js'
import { textOf } from '../../types/message.js'
import type { Limits } from '../../types/state.js'
import { showImages } from './message-media.js'

async function asking(replies: readonly (Served | readonly Served[])[], limits: Limits = {}) {
  const { model, requests } = await serving(...replies)
  const events: RunEvent[] = []
  const agent = new Agent({ model, limits, observe: (event) => events.push(event) })
  const isStreamed = Array.isArray(replies[0])
  const result = isStreamed ? await agent.stream('Draw.').result : await agent.run('Draw.')
  return { agent, result, requests, events, told: JSON.stringify([result, events, requests]) }
}

// Where servers put a reply's images.
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
  // github.com/LibreChat-AI/agents/pull/41: blocks of other APIs, passed on
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
  expect(result).toMatchObject({ stopReason: 'done', text: 'A cat.', stepCount: 1 })
  expect(requests).toHaveLength(1)
  const [artifact] = result.artifacts
  expect(result.artifacts).toMatchObject([
    {
      kind: 'image',
      mediaType: 'image/png',
      size: 3000,
      origin: { model: 'painter', runId: result.state.runId },
    },
  ])
  expect(Buffer.from(await readArtifactBytes(agent.artifacts, artifact?.id ?? '')).equals(png)).toBe(true)
  const media = [{ artifact: artifact?.id, mediaType: 'image/png', size: 3000, show: true }]
  const { content = null, ...rest } = result.messages.at(-1) ?? {}
  expect([textOf(content), rest]).toEqual(['A cat.', { role: 'assistant', media }])
  expect(events.filter(({ type }) => type === 'artifact-stored')).toMatchObject([
    { step: 0, model: 'painter', artifact },
  ])
  expect(told).not.toMatch(longBase64)
})

const generated = { type: 'image_generation_call', id: 'ig_1', result: base64(png) }
const drawing = `data:image/svg+xml,${encodeURIComponent(`<svg>${'<rect/>'.repeat(500)}</svg>`)}`

test.each([
  ['whole', { content: null, images: [image] }],
  ['streamed', [{ content: '' }, { images: [image] }]],
  ['in a field of another name', { content: [generated] }],
  ['in a field of another name, streamed', [{ content: [generated] }]],
  ['escaped', { content: null, images: [{ image_url: { url: drawing } }] }],
] as const)('a reply that is a picture alone is an answer, %s', async (_name, reply) => {
  const { result, requests } = await asking([reply])
  expect(requests).toHaveLength(1)
  expect(result).toMatchObject({ stopReason: 'done', text: '', stepCount: 1, artifacts: [{ kind: 'image' }] })
  const [{ id, mediaType, size } = {}] = result.artifacts
  expect(result.messages.at(-1)?.media).toEqual([{ artifact: id, mediaType, size, show: true }])
  expect(result.incomplete).toBeUndefined()
})

// platform.openai.com/docs/guides/audio; github.com/openai/openai-openapi/issues/577 for the streamed form
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
    artifacts: [{ kind: 'audio', mediaType: 'audio/pcm', size: 3000 }],
  })
  const stored = await readArtifactBytes(agent.artifacts, result.artifacts[0]?.id ?? '')
  expect(Buffer.from(stored).equals(samples)).toBe(true)
  const deltas = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
  expect(deltas).toEqual(['Hello ', 'there.'])
  expect(told).not.toMatch(longBase64)
})

test.each([
  ['a text', (words: string) => words],
  ['parts', (words: string) => [{ type: 'text', text: words }]],
])('a picture in markdown is replaced in its place, in %s', async (_name, toContent) => {
  const { result, told } = await asking([{ content: toContent(`Look: ![cat](${dataUrl}) Nice?`) }])
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
    expect(streamed).toBe(result.text)
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
  ['a list of URLs', { content: '', images: ['https://example.com/cat.png'] }],
  ['a URL in a field', { content: '', image: 'https://example.com/cat.png' }],
] as const)('a picture behind an https URL stays as it is, and is an answer: %s', async (_name, reply) => {
  const { result, requests } = await asking([reply])
  expect(requests).toHaveLength(1)
  expect(result.artifacts).toEqual([])
  expect(result.messages.at(-1)).toMatchObject({ ...reply, media: [{ url: 'https://example.com/cat.png' }] })
})

test.each([
  ['artifacts', { artifacts: 1 }],
  ['artifactBytes', { artifactBytes: 4000 }],
] as const)(
  'a file beyond limits.%s is not kept, the history says so, and the run ends at the limit',
  async (limit, limits) => {
    const other = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(pngOf(2500))}` } }
    const { agent, result, events, requests } = await asking(
      [{ content: 'Two.', images: [image, other] }, { content: 'That is all.' }],
      limits,
    )
    expect(result).toMatchObject({
      stopReason: 'limit',
      limit,
      text: 'Two.',
      usage: { artifacts: 1, artifactBytes: 3000 },
      artifacts: [{ size: 3000 }],
    })
    expect(result.messages.at(-1)?.media).toEqual([
      { artifact: result.artifacts[0]?.id, mediaType: 'image/png', size: 3000, show: true },
      { mediaType: 'image/png', size: 2500, limit },
    ])
    await agent.run([...result.messages, { role: 'user', content: 'And?' }])
    expect(requests[1]?.messages[1]?.content).toMatch(
      `, (image/png, 2500 bytes; not kept: limit ${limit} reached)`,
    )
    expect(events.map(({ type }) => type)).toContain('limit-reached')
    expect(result.stepCount).toBe(1)
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
  const model = scriptedModel([reply.call('look'), reply.text('Done.')])
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
  // The message with the calls is sent back with its reference as text.
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
    server: expect.stringContaining('127.0.0.1'),
  })
  expect(result.artifacts).toEqual([])
})

test('a URL in a citation is no picture of the reply', async () => {
  const annotations = [
    { type: 'url_citation', image: 'https://example.com/a.png', images: ['https://b.org'] },
  ]
  const { result } = await asking([{ content: 'Hm.', annotations }])
  expect(result.messages.at(-1)).toMatchObject({ content: 'Hm.', annotations })
})

test('an output with a picture has its reference', async () => {
  const { model } = await serving({ content: JSON.stringify({ title: 'A cat', picture: dataUrl }) })
  const output = jsonSchema<{ title: string; picture: string }>({ type: 'object', required: ['picture'] })
  const result = await new Agent({ model, output }).run('Draw.')
  const name = `${result.artifacts[0]?.id} (image/png, 3000 bytes)`
  expect(result).toMatchObject({ stopReason: 'done', output: { title: 'A cat', picture: name } })
  expect(result.usage).toMatchObject({ requests: 1 })
  expect(JSON.stringify(result)).not.toMatch(longBase64)
})

test('a picture larger than the bound of other fields is kept', async () => {
  const large = pngOf(7_000_000)
  const { result } = await asking([{ content: 'Big.', images: [{ b64_json: base64(large) }] }])
  expect(result.artifacts).toMatchObject([{ size: 7_000_000 }])
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
    const note = { type: 'text', text: `\n\nImages from your last reply: ${id}` }
    const shown = { role: 'user', content: [{ type: 'text', text: next.content }, note, image] }
    expect(requests[1]?.messages.at(-1)).toEqual(sees ? shown : next)
    expect(requests[2]?.messages.slice(0, 3)).toEqual(requests[1]?.messages)
    expect(JSON.stringify(second)).not.toMatch(longBase64)
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
  const text = `Images from the results above: ${id}`
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
    { role: 'user', content: `Images from the results above: ${id}` },
    { role: 'assistant', content: [{ type: 'text', text: `Attached: ${id} (image/png, 3000 bytes)` }] },
    {
      role: 'user',
      content: `Attached: ${id} (image/png, 3000 bytes)\n\nImages from your last reply: ${id}`,
    },
  ])
  expect(JSON.stringify(requests)).not.toMatch(longBase64)
})

test('the record of a step has references, and a replay of it needs no server', async () => {
  const { model, requests } = await serving({ content: 'A cat.', images: [image] })
  const agent = new Agent({ model, limits: { artifacts: 5 } })
  const records = new Map<string, string>()
  const recording: CreateHost = (binding) => {
    const host = memoryHost(binding)
    const step: typeof host.step = async <T>(one: Step<T>): Promise<T> => {
      const known = records.get(one.key)
      if (known !== undefined) return JSON.parse(known) as T
      const value = await host.step(one)
      records.set(one.key, JSON.stringify(value))
      return value
    }
    return { ...host, step }
  }
  const first = await agent.run('Draw.', { host: recording, runId: 'a' })
  const again = await agent.run('Draw.', { host: recording, runId: 'a' })
  expect([...records.values()].join()).not.toMatch(longBase64)
  expect(requests).toHaveLength(1)
  expect(again.state).toEqual(first.state)
  expect(again).toMatchObject({ artifacts: [{ size: 3000 }], usage: { artifacts: 1, artifactBytes: 3000 } })
})

test('what a model makes after it read untrusted text has the mark of that text', async () => {
  const read = tool({
    name: 'read',
    description: 'Reads',
    parameters: jsonSchema({ type: 'object' }),
    untrusted: true,
    execute: () => 'A page.',
  })
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }]
  const { model } = await serving({ content: null, tool_calls }, { content: 'Drawn.', images: [image] })
  const result = await new Agent({ model, tools: [read] }).run('Draw the page.')
  expect(result.artifacts).toMatchObject([{ origin: { model: 'painter', taintedBy: 'read' } }])
})
