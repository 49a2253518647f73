// A conversation over one protocol goes on over another: 60 histories, from each protocol to each, and each of the
// servers refuses what a real one refuses.
import {
  Agent,
  type AnyAgent,
  type ChatModel,
  chatModel,
  fallback,
  showImages,
  tool,
  verdict,
} from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { responsesModel } from '@capstan/core/responses'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { isLong } from '../../../scripts/cases.mjs'
import { type History, histories } from './histories.js'
import { type Protocol, type StrictServer, startStrictServer } from './strict-servers.js'

const png = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
  (sign) => sign.charCodeAt(0),
)

const tools = [
  tool({
    name: 'get_weather',
    description: 'Weather in a city',
    parameters: z.object({ city: z.string() }),
    effects: 'read',
    execute: ({ city }) => ({ city, sky: '☀️ clear' }),
  }),
  tool({
    name: 'list_cities',
    description: 'All cities',
    parameters: z.object({}),
    effects: 'read',
    execute: () => ['Oslo', 'Rome'],
  }),
  tool({
    name: 'say_nothing',
    description: 'Says nothing',
    parameters: z.object({}),
    effects: 'read',
    execute: () => '',
  }),
  tool({
    name: 'fail',
    description: 'Fails',
    parameters: z.object({}),
    effects: 'read',
    execute: () => {
      throw new Error('No such station.')
    },
  }),
  tool({
    name: 'draw',
    description: 'Draws',
    parameters: z.object({ prompt: z.string() }),
    show: true,
    execute: (_args, { artifacts }) => artifacts.put(png, { kind: 'image', mediaType: 'image/png' }),
  }),
  tool({
    name: 'erase',
    description: 'Erases',
    parameters: z.object({ what: z.string() }),
    execute: () => 'erased',
  }),
] as const

function agentOver(model: ChatModel, { name }: History): AnyAgent {
  return new Agent({
    model,
    tools,
    instructions: 'Be brief.',
    middleware: [showImages()],
    policy: (call) => {
      if (call.name !== 'erase') return verdict.allow
      return name.includes('pending') ? verdict.ask('It is final.') : verdict.deny('Never.')
    },
  })
}

const models: Record<Protocol, (server: StrictServer) => ChatModel> = {
  chat: (server) => chatModel('m', { ...server, maxRetries: 0 }),
  responses: (server) => responsesModel('m', { ...server, maxRetries: 0 }),
  messages: (server) => messagesModel('m', { ...server, maxRetries: 0 }),
}
const protocols = ['chat', 'responses', 'messages'] as const
const pairs = protocols.flatMap((from) => protocols.map((to) => [from, to] as const))
// All of them with CAPSTAN_LONG=1. Else each history over two of the nine pairs.
const isTried = (history: number, pair: number) => isLong || (history + pair) % 9 < 2
const opaque = /"(encrypted_content|response_items|message_blocks|signature|reasoning_content|server)":/

describe.each(pairs.map((pair, at) => [...pair, at] as const))('%s to %s', (from, to, at) => {
  const tried = histories.filter((_, history) => isTried(history, at))
  test.each(tried.map((history) => [history.name, history] as const))('%s', async (_name, history) => {
    await using first = await startStrictServer(from, history.replies)
    await using second = await startStrictServer(to, [{ text: 'Yes.' }])
    const start = await agentOver(models[from](first), history).run(history.input ?? 'Go.')
    const messages = [...start.messages, { role: 'user' as const, content: 'And now?' }]
    const end = await agentOver(models[to](second), history).run(messages)
    expect(end).toMatchObject({ text: 'Yes.', stopReason: 'done' })
    expect(second.requests).toHaveLength(1)
    // Opaque fields stay with the protocol, and so with the server, that made them.
    expect(JSON.stringify(second.requests)).not.toMatch(opaque)
  })
})

test.each(protocols)('%s gets its own reasoning back from the same server, unchanged', async (protocol) => {
  const replies = [
    { reasoning: 'First.', calls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
    { reasoning: 'Then.', text: 'Clear.' },
  ]
  await using server = await startStrictServer(protocol, replies)
  const agent = agentOver(models[protocol](server), { name: '', replies })
  const { messages } = await agent.run('Go.')
  await agent.run([...messages, { role: 'user', content: 'And now?' }])
  const last = JSON.stringify(server.requests.at(-1))
  const own = {
    chat: ['"reasoning_content":"First."', '"reasoning_content":"Then."'],
    responses: ['"encrypted_content":"gAAAAA1"', '"encrypted_content":"gAAAAA2"'],
    messages: ['"signature":"c2ln1"', '"signature":"c2ln2"'],
  }
  for (const text of own[protocol]) expect(last).toContain(text)
})

const user = { role: 'user', content: 'Go.' }
const chatCall = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
}
const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'g' }
const responses = (...input: object[]) => ({ model: 'm', store: false, input: [user, ...input] })
const messages = (...further: object[]) => ({ model: 'm', max_tokens: 9, messages: [user, ...further] })
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] }

// Otherwise the matrix would show nothing.
test.each([
  ['chat', 'a call without a result', { model: 'm', messages: [user, chatCall, user] }],
  [
    'chat',
    'a result without a call',
    { model: 'm', messages: [user, { role: 'tool', tool_call_id: 'c1', content: '' }] },
  ],
  ['chat', 'no content', { model: 'm', messages: [user, { role: 'assistant', content: null }] }],
  ['chat', 'an unknown field', { model: 'm', messages: [{ ...user, server: 'x' }] }],
  ['responses', 'storage', { ...responses(), store: true }],
  [
    'responses',
    'a call without an output',
    responses({ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }),
  ],
  [
    'responses',
    'an output without a call',
    responses({ type: 'function_call_output', call_id: 'c', output: '' }),
  ],
  ['responses', 'reasoning alone', responses(reasoning, user)],
  ['messages', 'two users', messages(user)],
  [
    'messages',
    'an empty text',
    messages({ role: 'assistant', content: [{ type: 'text', text: ' ' }] }, user),
  ],
  ['messages', 'a use without a result', messages(use, user)],
  [
    'messages',
    'thinking without a signature',
    messages({ role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }, user),
  ],
] as const)('the strict server of %s refuses %s', async (protocol, _name, body) => {
  await using server = await startStrictServer(protocol, [])
  const path = { chat: 'chat/completions', responses: 'responses', messages: 'messages' }[protocol]
  const { status } = await fetch(`${server.baseURL}/${path}`, { method: 'POST', body: JSON.stringify(body) })
  expect(status).toBe(400)
})

test.each(protocols)('a request that fails over %s is answered over another protocol', async (protocol) => {
  const other = protocols[(protocols.indexOf(protocol) + 1) % 3] ?? 'chat'
  const replies = [
    { reasoning: 'First.', calls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] },
    { text: 'Clear.' },
  ]
  const first = await startStrictServer(protocol, replies)
  await using second = await startStrictServer(other, replies.slice(1))
  const model = fallback([models[protocol](first), models[other](second)])
  // The first server is gone after its first reply.
  const leaving: ChatModel = {
    ...model,
    async complete(request, sink) {
      if (first.requests.length === 1) await first[Symbol.asyncDispose]()
      return model.complete(request, sink)
    },
  }
  const result = await agentOver(leaving, { name: '', replies }).run('Go.')
  expect(result).toMatchObject({ text: 'Clear.', stopReason: 'done' })
  expect(JSON.stringify(second.requests)).not.toMatch(opaque)
})
