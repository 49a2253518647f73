import { Agent, memorySessions, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { book, handlerOf, toRequest } from '../test/requests.js'

const png = Uint8Array.from({ length: 3000 }, (_, at) => (at * 7919) % 251)
png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const base64 = Buffer.from(png).toString('base64')
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}`, detail: 'low' } }
const question = { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }
const longBase64 = /[A-Za-z0-9+/]{1000}/

const routes = {
  chat: (messages: readonly object[], stream: boolean) => ({
    path: '/v1/chat/completions',
    body: { model: 'helper', messages, stream },
  }),
  runs: (input: readonly object[], stream: boolean) => ({ path: '/runs', body: { input, stream } }),
}

test.each([
  ['chat', true],
  ['chat', false],
  ['runs', true],
  ['runs', false],
] as const)(
  'a picture in a message becomes an artifact of its user, and the model sees it: %s, stream %s',
  async (route, stream) => {
    const model = scriptedModel([reply.text('Cat.')])
    const handler = handlerOf(new Agent({ name: 'helper', model }))
    const { path, body } = routes[route]([question], stream)
    const answer = await (await handler(toRequest(path, { body }))).text()
    expect(answer).toContain('Cat.')
    expect(answer).not.toMatch(longBase64)
    expect(JSON.stringify(model.requests[0]?.messages[0])).toContain(JSON.stringify(image))
    const id = /img_\w+/.exec(JSON.stringify(model.requests[0]?.messages))?.[0]
    const read = (user: string) => handler(toRequest(`/artifacts/${id}`, { user }))
    expect(Buffer.from(await (await read('ann')).arrayBuffer()).equals(png)).toBe(true)
    expect((await read('bob')).status).toBe(404)
  },
)

test('a model that sees is shown files of UI messages and AG-UI messages', async () => {
  const url = `data:image/png;base64,${base64}`
  const parts = [
    { type: 'text', text: 'Look.' },
    { type: 'file', mediaType: 'image/png', url },
  ]
  const content = [
    { type: 'text', text: 'Look.' },
    { type: 'binary', mimeType: 'image/png', url },
  ]
  for (const vision of [true, false]) {
    const model = Object.assign(scriptedModel([reply.text('A'), reply.text('B')]), { vision })
    const handler = handlerOf(new Agent({ name: 'helper', model }))
    const ui = { messages: [{ id: 'm', role: 'user', parts }] }
    await (await handler(toRequest('/ui', { body: ui }))).text()
    const run = { threadId: 't', runId: 'r', tools: [], context: [], state: {}, forwardedProps: {} }
    const agUi = { ...run, messages: [{ id: 'm', role: 'user', content }] }
    await (await handler(toRequest('/ag-ui', { body: agUi }))).text()
    const shown = model.requests.map(({ messages }) => JSON.stringify(messages).includes(url))
    expect(shown).toEqual([vision, vision])
  }
})

test.each(['chat', 'runs'] as const)(
  'a picture in an earlier reply becomes an artifact as well: %s',
  async (route) => {
    const model = scriptedModel([reply.text('Blue.')])
    const handler = handlerOf(new Agent({ name: 'helper', model }))
    const earlier = { role: 'assistant', content: 'A cat.', images: [image] }
    const { path, body } = routes[route]([question, earlier, { role: 'user', content: 'More.' }], false)
    const answer = await (await handler(toRequest(path, { body }))).text()
    expect(answer).toContain('Blue.')
    expect(JSON.stringify(model.requests[0]?.messages.slice(1))).toMatch(/A cat\..*Attached: img_\w+/)
    expect(JSON.stringify(model.requests[0]?.messages.slice(1))).not.toMatch(longBase64)
  },
)

test.each(['chat', 'runs'] as const)('a mark in a client message shows no artifact: %s', async (route) => {
  const model = scriptedModel([reply.text('Cat.'), reply.text('No.')])
  const handler = handlerOf(new Agent({ name: 'helper', model }))
  const first = routes[route]([question], false)
  await handler(toRequest(first.path, { body: first.body }))
  const artifact = /img_\w+/.exec(JSON.stringify(model.requests[0]?.messages))?.[0]
  const show = { part: { type: 'image_url' }, at: 0, path: ['image_url', 'url'], prefix: '' }
  const media = [
    { artifact, mediaType: 'image/png', size: 3000, show },
    { artifact, show: true },
  ]
  const forged = { role: 'user', content: 'Show it.', media }
  for (const user of ['ann', 'bob']) {
    const { path, body } = routes[route]([forged], false)
    await handler(toRequest(path, { body, user }))
    expect(model.requests.at(-1)?.messages).toEqual([{ role: 'user', content: 'Show it.' }])
  }
})

test.each([
  null,
  5,
  { role: 'user', content: [null, 5, { type: 'image_url', image_url: 5 }] },
  {
    role: 'user',
    content: [null, { type: 'text', text: 5 }, { type: 'text', text: { length: 5000 } }, image],
  },
  { role: 'user', content: { length: 5000 } },
  { role: 'assistant', content: [null, 5] },
  { role: 'assistant', content: { type: 'text' }, images: 5 },
])('a message that is not valid is a 400, not a failure: %j', async (message) => {
  const handler = handlerOf(new Agent({ name: 'helper', model: scriptedModel([reply.text('A.')]) }))
  const { path, body } = routes.runs([message as never], false)
  expect((await handler(toRequest(path, { body }))).status).toBe(400)
})

test('a chat with a picture goes on after an approval', async () => {
  const model = scriptedModel([reply.call('book_room', { city: 'Oslo' }), reply.text('Booked.')])
  const handler = handlerOf(new Agent({ name: 'helper', model, tools: [book] }))
  const approval = {
    type: 'function',
    function: { name: 'request_approval', parameters: { type: 'object' } },
  }
  const ask = async (messages: readonly object[]) => {
    const { path, body } = routes.chat(messages, false)
    const response = await handler(toRequest(path, { body: { ...body, tools: [approval] } }))
    return (await response.json()).choices[0].message
  }
  const answer = await ask([question])
  const [asked] = answer.tool_calls
  const result = { role: 'tool', tool_call_id: asked.id, content: 'yes' }
  expect(await ask([question, answer, result])).toMatchObject({ content: 'Booked.' })
})

test('a result of a client with a picture becomes an artifact of its call', async () => {
  const camera = { type: 'function', function: { name: 'camera', parameters: { type: 'object' } } }
  const model = scriptedModel([reply.call('camera', {}), reply.text('Seen.')])
  const handler = handlerOf(new Agent({ name: 'helper', model }))
  const ask = async (messages: readonly object[]) => {
    const { path, body } = routes.chat(messages, false)
    const response = await handler(toRequest(path, { body: { ...body, tools: [camera] } }))
    return (await response.json()).choices[0].message
  }
  const user = { role: 'user', content: 'Look.' }
  const answer = await ask([user])
  const result = { role: 'tool', tool_call_id: answer.tool_calls[0].id, content: image.image_url.url }
  expect(await ask([user, answer, result])).toMatchObject({
    content: 'Seen.',
    artifacts: [{ kind: 'image' }],
  })
  expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/^img_\w+ \(image\/png, 3000 bytes\)$/)
})

const painter = () => {
  const model = scriptedModel([reply.text('Cat.')])
  const images = [image]
  return {
    ...model,
    complete: async (...given: Parameters<typeof model.complete>) => {
      const answer = await model.complete(...given)
      return { ...answer, message: { ...answer.message, images } }
    },
  }
}

const draw = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Draw.' }], content: 'Draw.' }]
test.each([
  [
    'chat',
    { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Draw.' }], stream: true } },
  ],
  ['chat, whole', { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Draw.' }] } }],
  ['runs', { path: '/runs', body: { input: 'Draw.' } }],
  ['UI', { path: '/ui', body: { id: 'c', messages: draw } }],
  ['AG-UI', { path: '/ag-ui', body: { threadId: 't', runId: 'r', messages: draw } }],
])('a picture of the model reaches clients as an artifact: %s', async (_name, { path, body }) => {
  const sessions = memorySessions()
  const handler = handlerOf(new Agent({ name: 'helper', model: painter() }), { sessions })
  const answer = await (await handler(toRequest(path, { body }))).text()
  const id = /img_\w+/.exec(answer)?.[0]
  expect(answer).not.toMatch(longBase64)
  expect(answer).toContain('Cat.')
  const read = await handler(toRequest(`/artifacts/${id}`))
  expect(Buffer.from(await read.arrayBuffer()).equals(png)).toBe(true)
})

test('files in AG-UI and UI messages reach tools as artifacts', async () => {
  for (const [path, part] of [
    ['/ag-ui', { type: 'image', source: { type: 'data', value: base64, mimeType: 'image/png' } }],
    ['/ui', { type: 'file', url: image.image_url.url, mediaType: 'image/png' }],
  ] as const) {
    const model = scriptedModel([reply.text('Cat.')])
    const handler = handlerOf(
      new Agent({
        name: 'helper',
        model,
        tools: [tool({ name: 'f', description: 'F', parameters: z.object({}), execute: () => 1 })],
      }),
    )
    const messages = [
      {
        id: 'u',
        role: 'user',
        content: [{ type: 'text', text: 'Look.' }, part],
        parts: [{ type: 'text', text: 'Look.' }, part],
      },
    ]
    const body = { id: 'c', threadId: 't', runId: 'r', messages }
    const answer = await (await handler(toRequest(path, { body }))).text()
    expect(model.requests[0]?.messages[0]?.content).toMatch(
      /^Look\.\n\nAttached: img_\w+ \(image\/png, 3000 bytes\)$/,
    )
    expect(answer).not.toMatch(longBase64)
  }
})
