import { expect, test } from 'vitest'
import { base64, dataUrl, image, longBase64, samples, serving, wav } from '../../../test/media-server.js'
import { Agent } from '../../index.js'
import type { RunInput } from '../../run/feature.js'
import { memorySessions } from '../../sessions/session.js'
import type { RunEvent } from '../../types/event.js'
import type { AssistantMessage } from '../../types/message.js'
import { showImages } from './message-media.js'

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
  expect(stored.map(({ kind, size }) => [kind, size])).toEqual([
    ['image', 3000],
    ['audio', wav.length],
    ['file', pdf.length],
  ])
  const line = `\n\nAttached: ${stored.map(({ id, mediaType, size }) => `${id} (${mediaType}, ${size} bytes)`).join(', ')}`
  const sent = { role: 'user', content: [...content, { type: 'text', text: line }] }
  expect(first.messages[0]?.content).toEqual([content[1], far])
  await agent.run('Sure?', { session })
  await agent.run([...first.messages, { role: 'user', content: 'Which colour?' }])
  for (const { messages } of requests) expect(messages[0]).toEqual(sent)
  const kept = JSON.stringify([first, await store.load('one'), events])
  expect(kept).not.toMatch(longBase64)
  expect(kept).toContain(stored[0]?.id)
})

test.each<[string, RunInput]>([
  ['a text', `What is ![this](${dataUrl})?`],
  ['a message', [{ role: 'user', content: `What is ![this](${dataUrl})?` }]],
  ['a part', [{ role: 'user', content: [{ type: 'text', text: `What is ![this](${dataUrl})?` }] }]],
])(
  'a picture within the words of the user becomes an artifact, named in its place: %s',
  async (_name, input) => {
    const { model, requests } = await serving({ content: 'A cat.' })
    const agent = new Agent({ model })
    const { messages } = await agent.run(input)
    const [artifact] = await agent.artifacts.list()
    expect(artifact).toMatchObject({ mediaType: 'image/png', size: 3000 })
    const words = `What is ![this](${artifact?.id} (image/png, 3000 bytes))?`
    const [{ content } = {}] = messages
    expect(typeof content === 'string' ? content : content?.[0]).toEqual(
      typeof content === 'string' ? words : { type: 'text', text: words },
    )
    expect(requests[0]?.messages).toEqual([{ role: 'user', content }])
  },
)

test('a picture whose artifact was deleted is named, not shown', async () => {
  const { model, requests } = await serving({ content: 'A cat.' }, { content: 'Gone.' })
  const agent = new Agent({ model })
  const first = await agent.run([{ role: 'user', content: [image] }])
  for (const { id } of await agent.artifacts.list()) await agent.artifacts.delete(id)
  await agent.run(JSON.parse(JSON.stringify([...first.messages, { role: 'user', content: 'Again?' }])))
  const text = expect.stringMatching(/^Attached: img_\w+ \(image\/png, 3000 bytes\)$/)
  expect(requests[1]?.messages[0]).toEqual({ role: 'user', content: [{ type: 'text', text }] })
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
  [[null, 5, { artifact: 1 }, { artifact: 'img_aaaaaaaa', show: { at: 'x' } }], 'words'],
  [{ a: 1 }, [{ type: 'text', text: 'words' }]],
])('a field %j that a given conversation has from a server changes nothing', async (media, content) => {
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

test.each<[string, Partial<AssistantMessage>]>([
  ['image parts', { content: [{ type: 'text', text: 'A cat.' }, image] }],
  ['a field', { content: 'A cat.', images: [image] }],
])('a given reply with a picture names it, and a model with vision sees it: %s', async (_name, fields) => {
  const { model, requests } = await serving({ content: 'Blue.' })
  const agent = new Agent({ model, middleware: [showImages()] })
  const reply = { role: 'assistant', ...fields } as AssistantMessage
  const next = { role: 'user', content: 'Make it blue.' } as const
  const { state } = await agent.run([{ role: 'user', content: 'Draw.' }, reply, next])
  const [artifact] = await agent.artifacts.list()
  const line = `\n\nAttached: ${artifact?.id} (image/png, 3000 bytes)`
  const { content, media } = state.messages[1] ?? {}
  expect(content).toEqual(Array.isArray(fields.content) ? fields.content.slice(0, 1) : 'A cat.')
  expect(media).toEqual([{ artifact: artifact?.id, mediaType: 'image/png', size: 3000, show: true }])
  expect(state.messages[1]).not.toHaveProperty('images')
  expect(JSON.stringify(state)).not.toMatch(longBase64)
  expect(requests[0]?.messages[1]).toEqual({ role: 'assistant', content: `A cat.${line}` })
  expect(requests[0]?.messages[2]?.content).toContainEqual(image)
})

test('the replies of a conversation that goes on stay the same objects', async () => {
  const { model } = await serving({ content: 'A cat.', images: [image] }, { content: 'Blue.' })
  const agent = new Agent({ model })
  const first = await agent.run('Draw.')
  const second = await agent.run([...first.messages, { role: 'user', content: 'Make it blue.' }])
  expect(second.messages[1]).toBe(first.messages[1])
})
