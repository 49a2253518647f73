import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type ChatModel, chatModel } from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { handlerOf, toRequest } from '../test/requests.js'

const sent: string[] = []
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  sent.push(body)
  const path = request.url?.split('/').at(-1) ?? ''
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(replies[path as keyof typeof replies]))
})
const replies = {
  completions: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  },
  responses: {
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] },
    ],
  },
  messages: {
    type: 'message',
    role: 'assistant',
    stop_reason: 'end_turn',
    content: [{ type: 'text', text: 'ok' }],
  },
}
let baseURL = ''
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
beforeEach(() => {
  sent.length = 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const models: Readonly<Record<string, () => ChatModel>> = {
  chat: () => chatModel('m', { baseURL, apiKey: 'k', maxRetries: 0 }),
  responses: () => responsesModel('m', { baseURL, apiKey: 'k', maxRetries: 0 }),
  messages: () => messagesModel('m', { baseURL, apiKey: 'k', maxRetries: 0 }),
}
type Name = 'runs' | 'chat' | 'responses' | 'messages' | 'ui' | 'agUi'
const paths = {
  runs: '/runs',
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  ui: '/ui',
  agUi: '/ag-ui',
}
const bodies: Readonly<Record<Name, (messages: readonly object[]) => object>> = {
  runs: (input) => ({ input, stream: false }),
  chat: (messages) => ({ model: 'helper', messages }),
  responses: (input) => ({ model: 'helper', input }),
  messages: (messages) => ({ model: 'helper', max_tokens: 5, messages }),
  ui: (messages) => ({ id: 'c', messages }),
  agUi: (messages) => ({ threadId: 't', runId: 'r', tools: [], context: [], state: {}, messages }),
}

/** Sends a conversation to a route, and returns the response and what the model's server got. */
async function send(model: string, route: Name, messages: readonly object[]) {
  const agent = new Agent({ name: 'helper', model: models[model]?.() as ChatModel })
  const handler = handlerOf(agent)
  const response = await handler(toRequest(paths[route], { body: bodies[route](messages) }))
  const text = await response.text()
  await handler.close()
  return { status: response.status, text, sent: sent.join('\n') }
}

// Values for fields that are only for servers.
const items = [
  { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'EVIL' }] },
  { type: 'item_reference', id: 'EVIL' },
]
const blocks = [
  { type: 'text', length: 2 },
  { type: 'document', source: { type: 'file', file_id: 'EVIL' } },
]
const own = () => ({
  server: `${baseURL.slice('http://'.length)} m`,
  response_items: items,
  message_blocks: blocks,
  provider_parts: [{ type: 'file', id: 'EVIL' }],
  reasoning_details: [{ type: 'reasoning.encrypted', data: 'EVIL' }],
  reasoning_content: 'EVIL',
  textForm: { form: 'hermes', text: 'EVIL' },
  media: [
    { artifact: 'img_EVIL', mediaType: 'image/png', size: 1, untrusted: true, show: true },
    { url: 'https://EVIL/a.png' },
  ],
  incomplete: true,
  taintedBy: 'EVIL',
  input: 'EVIL',
  metadata: { EVIL: 'EVIL' },
  cache_control: { type: 'EVIL' },
})
const args = { name: 'f', arguments: '{}' }
const text = (type: string, said: string) => [{ type, text: said, EVIL: 'EVIL', ...own() }]

/** A conversation in each route's format, with such fields in every position. */
const conversations: Readonly<Record<Name, () => object[]>> = {
  runs: () => conversations.chat(),
  chat: () => [
    { role: 'user', content: text('text', 'a'), ...own() },
    {
      role: 'assistant',
      content: text('text', 'hi'),
      ...own(),
      tool_calls: [{ id: 'c', type: 'function', function: { ...args, ...own() }, ...own() }],
    },
    { role: 'tool', tool_call_id: 'c', content: text('text', 'x'), ...own() },
    { role: 'user', content: 'b', ...own() },
  ],
  responses: () => [
    { role: 'user', content: text('input_text', 'a'), ...own() },
    { type: 'message', role: 'assistant', content: text('output_text', 'hi'), ...own() },
    { type: 'reasoning', encrypted_content: 'EVIL', summary: [] },
    { type: 'function_call', call_id: 'c', ...args, ...own() },
    { type: 'function_call_output', call_id: 'c', output: text('input_text', 'x'), ...own() },
    { role: 'user', content: 'b', ...own() },
  ],
  messages: () => [
    { role: 'user', content: text('text', 'a'), ...own() },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'EVIL', signature: 'EVIL' },
        { type: 'server_tool_use', id: 'EVIL', name: 'web_search', input: {} },
        ...text('text', 'hi'),
        { ...own(), type: 'tool_use', id: 'c', name: 'f', input: {} },
      ],
      ...own(),
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c', content: text('text', 'x'), ...own() }],
      ...own(),
    },
    { role: 'user', content: 'b', ...own() },
  ],
  ui: () => [
    { id: '1', role: 'user', parts: text('text', 'a'), ...own() },
    {
      id: '2',
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'EVIL', providerMetadata: { x: { itemId: 'EVIL' } } },
        ...text('text', 'hi'),
        {
          ...own(),
          type: 'tool-f',
          toolCallId: 'c',
          state: 'output-available',
          input: {},
          output: 'x',
          callProviderMetadata: { x: { itemId: 'EVIL' } },
        },
      ],
      ...own(),
    },
    { id: '3', role: 'user', parts: text('text', 'b'), ...own() },
  ],
  agUi: () => [
    { id: '1', role: 'user', content: text('text', 'a'), ...own() },
    { id: '2', role: 'reasoning', content: 'EVIL', encryptedValue: 'EVIL' },
    {
      id: '3',
      role: 'assistant',
      content: 'hi',
      ...own(),
      toolCalls: [{ id: 'c', type: 'function', function: { ...args, ...own() }, ...own() }],
    },
    { id: '4', role: 'tool', toolCallId: 'c', content: 'x', ...own() },
    { id: '5', role: 'user', content: 'b', ...own() },
  ],
}

const each = Object.keys(models).flatMap((model) =>
  Object.keys(conversations).map((route) => [model, route as Name] as const),
)

describe.each(each)('a %s model behind %s', (model, route) => {
  test('gets the documented fields of a client message, and no others', async () => {
    const got = await send(model, route, conversations[route]())
    expect(got).toMatchObject({ status: 200, sent: expect.stringMatching(/hi.*b/s) })
    expect(got.sent).not.toContain('EVIL')
  })
})

test.each(Object.keys(conversations) as Name[])('%s takes no file by id, in any part', async (route) => {
  for (const part of evilParts(route))
    for (const messages of placesOf(route, part)) {
      const got = await send('responses', route, messages)
      expect({ ...got, messages }).toMatchObject({ status: 400, sent: '' })
      // The `ui` route returns an error as a sentence.
      if (route === 'ui') expect(got.text).toMatch(/^[A-Z`].*\.$/)
      else
        expect(JSON.parse(got.text)).toMatchObject(
          route === 'messages'
            ? { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) } }
            : {
                error: {
                  type: 'invalid_request_error',
                  code: 'invalid_request',
                  message: expect.any(String),
                },
              },
        )
    }
})

function evilParts(route: Name): object[] {
  const parts = [
    { type: 'file', file: { file_id: 'EVIL' } },
    { type: 'file', file: { file_data: 'file-EVIL' } },
    { type: 'input_file', file_id: 'EVIL' },
    { type: 'document', source: { type: 'file', file_id: 'EVIL' } },
    { type: 'image', source: { type: 'file', file_id: 'EVIL' } },
    { type: 'image', source: { type: 'file', value: 'EVIL' } },
    { type: 'binary', id: 'EVIL' },
    { type: 'image_url', image_url: { url: 'file-EVIL' } },
    { type: 'input_image', file_id: 'EVIL' },
    { type: 'input_audio', input_audio: { id: 'EVIL' } },
    { type: 'container_upload', file_id: 'EVIL' },
    { type: 'song', id: 'EVIL' },
    { type: ['text'], text: 'EVIL' },
    { id: 'EVIL' },
  ]
  // A file from the AI SDK without data is also rejected. Sources are only displayed by pages.
  return route === 'ui'
    ? [...parts, { type: 'file', mediaType: 'image/png', providerReference: 'EVIL' }]
    : parts
}

/** Returns conversations with the part in each position where parts are allowed. */
function placesOf(route: Name, part: object): object[][] {
  const asks = { role: 'user', content: 'a' }
  const call = { id: 'c', type: 'function', function: args }
  switch (route) {
    case 'runs':
    case 'chat':
      return [
        [{ role: 'user', content: [part] }],
        [asks, { role: 'assistant', content: [part] }, asks],
        [asks, { role: 'assistant', content: null, images: [part] }, asks],
        [
          asks,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c', content: [part] },
        ],
      ]
    case 'responses':
      return [
        [{ role: 'user', content: [part] }],
        [asks, { role: 'assistant', content: [part] }, asks],
        [
          asks,
          { type: 'function_call', call_id: 'c', ...args },
          { type: 'function_call_output', call_id: 'c', output: [part] },
        ],
      ]
    case 'messages':
      return [
        [{ role: 'user', content: [part] }],
        [asks, { role: 'assistant', content: [part] }, asks],
        [{ role: 'system', content: [part] }, asks],
        [
          asks,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [part] }] },
        ],
      ]
    case 'ui':
      return [[{ id: '1', role: 'user', parts: [part] }]]
    case 'agUi':
      return [
        [{ id: '1', role: 'user', content: [part] }],
        [
          { id: '1', ...asks },
          { id: '2', role: 'tool', toolCallId: 'c', content: [part] },
          { id: '3', ...asks },
        ],
      ]
  }
}

test.each(
  (Object.keys(conversations) as Name[]).flatMap((route) =>
    [['system'], ['user'], ['assistant'], { toString: 'system' }, 5, null, undefined, 'king', 'System'].map(
      (role) => [route, role] as const,
    ),
  ),
)('%s refuses a message with the role %j', async (route, role) => {
  const said = route === 'ui' ? { parts: [{ type: 'text', text: 'EVIL' }] } : { content: 'EVIL' }
  const asks = route === 'ui' ? { parts: [{ type: 'text', text: 'b' }] } : { content: 'b' }
  const got = await send('chat', route, [
    { id: '1', role, ...said },
    { id: '2', role: 'user', ...asks },
  ])
  expect(got).toMatchObject({ status: 400, sent: '' })
})

test.each([
  { audio: { id: 'EVIL' } },
  { function_call: args },
  { tool_calls: 'EVIL' },
  { tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: 'EVIL' } }] },
  { tool_calls: [null] },
])('a reply with %j is refused', async (fields) => {
  const messages = [
    { role: 'assistant', content: 'hi', ...fields },
    { role: 'user', content: 'b' },
  ]
  for (const route of ['runs', 'chat'] as const)
    expect(await send('chat', route, messages)).toMatchObject({ status: 400, sent: '' })
})

test('the name of a speaker, and null where a client has no value, are taken', async () => {
  const none = { refusal: null, audio: null, function_call: null, tool_calls: null, annotations: [] }
  const messages = [
    { role: 'user', name: 'ann', content: 'a' },
    { role: 'assistant', content: 'hi', ...none },
    { role: 'user', content: 'b' },
  ]
  const got = await send('chat', 'chat', messages)
  expect(JSON.parse(got.sent).messages).toEqual([
    messages[0],
    { role: 'assistant', content: 'hi' },
    messages[2],
  ])
})
