import { Agent, memorySessions, sessionStore, type ToolContext, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { authenticate, handlerOf, hello, scripted, toRequest } from '../test/requests.js'
import { agentHandler } from './agent-handler.js'
import type { HandlerOptions } from './options.js'

const greet = tool({
  name: 'greet',
  description: 'Greets',
  parameters: z.object({}),
  execute: (_, { context }: ToolContext<{ name: string }>) => `Hello ${context.name}.`,
})
const greeter = () =>
  new Agent({ model: scriptedModel([reply.call('greet', {}), reply.text('Done.')]), tools: [greet] })

const routes: readonly (readonly [string, object])[] = [
  ['/runs', { input: 'Go.' }],
  ['/runs', { input: 'Go.', stream: false }],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Go.' }] }],
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Go.' }], stream: true }],
  ['/ui', { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }] }],
  [
    '/ag-ui',
    {
      threadId: 't',
      runId: 'r',
      state: {},
      messages: [{ id: 'm', role: 'user', content: 'Go.' }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
  ],
]

test('the context may be a promise whose value the tools get', async () => {
  const handler = agentHandler(greeter(), {
    authenticate,
    context: async (_request, { id }) => ({ name: id }),
  })
  const told = await (await handler(toRequest('/runs', { body: { input: 'Go.' } }))).text()
  expect(told).toContain('"Hello ann."')
})

test.each(routes)('a context that rejects is a 500, reported once to onError: %s %j', async (path, body) => {
  const errors: unknown[] = []
  const context = async () => {
    throw new Error('the database is away')
  }
  const handler = handlerOf(hello(), { context, onError: (error) => errors.push(error), maxRuns: 1 })
  for (let at = 0; at < 2; at++) {
    const response = await handler(toRequest(path, { body }))
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('database')])
  }
  expect(errors.map(String)).toEqual(['Error: the database is away', 'Error: the database is away'])
})

test.each(routes)(
  'a context that never settles frees its slot after maxSeconds: %s %j',
  async (path, body) => {
    const errors: unknown[] = []
    const contexts = [new Promise(() => {}), Promise.resolve()]
    const handler = handlerOf(hello(), {
      context: () => contexts.shift(),
      onError: (error) => errors.push(error),
      maxSeconds: 0.01,
      maxRuns: 1,
    })
    const late = await handler(toRequest(path, { body }))
    expect([late.status, await late.text()]).toEqual([504, expect.stringContaining('timeout')])
    expect(errors.map(String)).toEqual([expect.stringContaining("agentHandler's context")])
    expect((await handler(toRequest(path, { body }))).status).not.toBe(429)
  },
)

test('a session that never loads frees the slot after maxSeconds', async () => {
  const errors: unknown[] = []
  const kept = memorySessions()
  let isAway = true
  const sessions = sessionStore({
    load: (id) => (isAway ? new Promise(() => {}) : kept.load(id)),
    append: (...given) => kept.append(...given),
    list: () => kept.list(),
    delete: (id) => kept.delete(id),
  })
  const body = { input: 'Go.', session: 'first', stream: false }
  const onError = (error: unknown) => errors.push(error)
  const late = await handlerOf(hello(), { sessions, onError, maxSeconds: 0.01, maxRuns: 1 })(
    toRequest('/runs', { body }),
  )
  expect(late.status).toBe(504)
  expect(errors.map(String)).toEqual([expect.stringContaining("agentHandler's sessions")])
  isAway = false
  const handler = handlerOf(hello(), { sessions, onError, maxRuns: 1 })
  expect((await handler(toRequest('/runs', { body }))).status).toBe(200)
  expect(errors).toHaveLength(1)
})

const failing = (): never => {
  throw new Error('the callback failed')
}
const rejecting = async () => failing()
const png = 'data:image/png;base64,iVBORw0KGgo='
const withFile = {
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: png }] }],
}

test.each<readonly [string, Partial<HandlerOptions>, string, object | undefined]>([
  ['authenticate that throws', { authenticate: failing }, '/v1/models', undefined],
  ['authenticate that rejects', { authenticate: rejecting }, '/v1/models', undefined],
  ['mayRead that throws', { mayRead: failing }, '/artifacts/ID', undefined],
  ['mayRead that rejects', { mayRead: rejecting }, '/artifacts/ID', undefined],
  ['context that throws', { context: failing }, '/runs', { input: 'Go.' }],
  [
    'sessions that throw',
    { sessions: sessionStore({ load: failing, append: failing, list: failing, delete: failing }) },
    '/ui',
    { ...withFile, id: 'chat' },
  ],
])('%s is a 500, reported to onError', async (_what, options, path, body) => {
  const errors: unknown[] = []
  const agent = scripted([reply.call('draw', { what: 'a cat' }), reply.text('There.')])
  const made = await (
    await handlerOf(agent)(toRequest('/runs', { body: { input: 'Draw.', stream: false } }))
  ).json()
  const handler = handlerOf(agent, { ...options, onError: (error) => errors.push(error) })
  const response = await handler(toRequest(path.replace('ID', made.artifacts[0].id), { body }))
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('callback')])
  expect(errors.map(String)).toEqual(['Error: the callback failed'])
})

test.each([
  [
    'was used already',
    async () => {
      const used = new Response('No.', { status: 401 })
      await used.text()
      return used
    },
  ],
  ['is the error of a fetch', async () => Response.error()],
])('a response of authenticate that %s is a 500, reported to onError', async (_how, refuse) => {
  const errors: unknown[] = []
  const handler = handlerOf(hello(), { authenticate: refuse, onError: (error) => errors.push(error) })
  expect((await handler(toRequest('/v1/models'))).status).toBe(500)
  expect(errors).toHaveLength(1)
})
