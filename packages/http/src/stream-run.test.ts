import { describe, expect, test } from 'vitest'
import { waitingAgent } from '../test/pending-agent.js'
import { eventsIn, handlerOf, hello, toRequest } from '../test/requests.js'
import { KnownReplies } from './chat/known-replies.js'
import type { HandlerContext } from './context.js'
import { toSettings } from './options.js'
import { Runs } from './runs/runs.js'
import type { Encoder } from './sse.js'
import { streamRun } from './stream-run.js'
import { UserArtifacts } from './user-artifacts.js'

const user = { role: 'user', content: 'Wait.' }
const streams: [string, object][] = [
  ['/v1/chat/completions', { model: 'helper', stream: true, messages: [user] }],
  ['/ui', { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Wait.' }] }] }],
  ['/ag-ui', { threadId: 't', runId: 'r', tools: [], context: [], messages: [{ id: 'u', ...user }] }],
  ['/runs', { input: 'Wait.' }],
]

describe.each(streams)('a caller of %s stops its run', (path, body) => {
  test('a client that disconnects before it reads aborts the run', async () => {
    const { agent, asked, over } = waitingAgent()
    const response = await handlerOf(agent)(toRequest(path, { body }))
    await asked
    await response.body?.cancel()
    await over
  })

  test('a client whose request aborts before it reads aborts the run', async () => {
    const { agent, asked, over } = waitingAgent()
    const caller = new AbortController()
    await handlerOf(agent)(toRequest(path, { body, signal: caller.signal }))
    await asked
    caller.abort()
    await over
  })

  test('a client whose request aborts before the response aborts the run', async () => {
    const handler = handlerOf(waitingAgent().agent, { maxRuns: 1 })
    const caller = new AbortController()
    const answering = handler(toRequest(path, { body, signal: caller.signal }))
    caller.abort()
    await answering
    let status = 429
    for (let tries = 0; status === 429 && tries < 1000; tries++)
      status = (await handler(toRequest(path, { body }))).status
    expect(status).toBe(200)
    await handler.close()
  })
})

test('a reader that leaves at once does not abort the run of another reader', async () => {
  const { agent, asked, over } = waitingAgent()
  const handler = handlerOf(agent)
  const first = await handler(toRequest('/runs', { body: { input: 'Wait.' } }))
  const second = await handler(toRequest(`/runs/${first.headers.get('x-run-id')}/events`))
  await second.body?.cancel()
  await asked
  const reader = first.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  await reader?.cancel()
  await over
})

test('skips events that cannot be encoded, and reports them to onError', async () => {
  const errors: unknown[] = []
  const settings = toSettings({ authenticate: false, onError: (error) => errors.push(error) })
  const agents = new Map([['helper', hello()]])
  const artifacts = new UserArtifacts({}, settings.runs)
  const handler = {
    agents,
    options: settings,
    artifacts,
    replies: new KnownReplies(),
  } as unknown as HandlerContext
  const runs = new Runs(settings, () => handler)
  const ctx = { request: toRequest('/runs'), user: { id: 'ann' }, rest: [], handler: { ...handler, runs } }
  const circle: { self?: unknown } = {}
  circle.self = circle
  const encoder: Encoder = {
    first: () => [],
    event({ type }) {
      if (type === 'step-start') throw new Error('it cannot be told')
      return type === 'run-start' ? [{ big: 10n }, circle] : []
    },
    end: ({ stopReason }) => [{ stopReason }],
    failed: ({ code }) => [{ code }],
  }
  const following = await runs.start({ agent: hello(), input: 'Hi.', sent: {} }, ctx)
  const parts = eventsIn(await streamRun({ following, encoder }, ctx).text()).map(({ data }) =>
    JSON.parse(data),
  )
  expect(parts).toEqual([{ big: '10' }, { self: expect.any(String) }, { stopReason: 'done' }])
  expect(errors.map(String)).toEqual(['Error: it cannot be told'])
})
