import { memorySessions } from '@capstan/core'
import * as ai6 from 'ai6'
import { Chat as Chat6 } from 'ai6-react'
import * as ai7 from 'ai7'
import { Chat as Chat7 } from 'ai7-react'
import { describe, expect, test } from 'vitest'
import type { AgentHandler } from '../../src/agent-handler.js'
import { handlerOf, hello, scripted, toRequest } from '../requests.js'

interface Named {
  readonly agent?: string
  readonly user?: string
}

interface AnyChat {
  readonly error: Error | undefined
  sendMessage(message: { text: string }): Promise<void>
  resumeStream(): Promise<void>
}

const transportOf = (handler: AgentHandler, { agent, user = 'ann' }: Named) => ({
  api: 'http://house.test/ui',
  headers: { authorization: `Bearer user-${user}` },
  fetch: (async (url: RequestInfo | URL, init?: RequestInit) =>
    handler(new Request(url, init))) as typeof fetch,
  body: { agent },
})

const clients: readonly (readonly [string, (handler: AgentHandler, named?: Named) => AnyChat])[] = [
  [
    'ai 6',
    (handler, named = {}) =>
      new Chat6({
        transport: new ai6.DefaultChatTransport(transportOf(handler, named)),
      }) as unknown as AnyChat,
  ],
  [
    'ai 7',
    (handler, named = {}) =>
      new Chat7({
        transport: new ai7.DefaultChatTransport(transportOf(handler, named)),
      }) as unknown as AnyChat,
  ],
]

describe.each(clients)('%s shows an error as a sentence', (_, chatWith) => {
  test.each([
    ['without a login', handlerOf(hello()), { user: '?' }, 'Authentication is required.'],
    ['of an unknown agent', handlerOf(hello()), { agent: 'nobody' }, 'No agent "nobody". Agents: helper.'],
    [
      'of a limit',
      handlerOf(hello(), { maxRuns: 0 }),
      {},
      'Too many concurrent runs (limit 0). Retry later.',
    ],
    [
      'of a large body',
      handlerOf(hello(), { maxBodyBytes: 10 }),
      {},
      'The body is larger than the limit of 10 bytes.',
    ],
    [
      'of the application, without its message',
      handlerOf(hello(), { context: () => Promise.reject(new Error('secret')) }),
      {},
      'The agent failed.',
    ],
  ])('%s', async (_what, handler, named, message) => {
    const chat = chatWith(handler, named)
    await chat.sendMessage({ text: 'Hi.' })
    expect(chat.error?.message).toMatch(message)
    expect(chat.error?.message).not.toMatch(/[{}]/)
  })
})

test('programs read the code in a header', async () => {
  const handler = handlerOf(scripted([]), { sessions: memorySessions(), origins: ['https://app.test'] })
  const body = { id: 'chat', messages: [], trigger: 'submit-message' }
  const response = await handler(toRequest('/ui', { body, headers: { origin: 'https://app.test' } }))
  expect([response.status, response.headers.get('x-error-code')]).toEqual([400, 'invalid_request'])
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('access-control-expose-headers')).toContain('x-error-code')
  expect(await response.text()).toBe('`messages` is empty.')
  const limited = await handlerOf(hello(), { maxRuns: 0 })(
    toRequest('/ui', { body: { messages: [{ id: 'u', role: 'user', parts: [] }] } }),
  )
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, expect.any(String)])
})

test('other routes have errors as before', async () => {
  for (const [path, type] of [
    ['/ag-ui', 'application/json'],
    ['/runs', 'application/json'],
    ['/uix', 'application/json'],
  ] as const) {
    const response = await handlerOf(hello())(toRequest(path, { body: {} }))
    expect(response.headers.get('content-type')).toContain(type)
    expect(response.headers.has('x-error-code')).toBe(false)
    expect((await response.json()).error.message).toEqual(expect.any(String))
  }
})
