import { describe, expect, test } from 'vitest'
import { handlerOf, toRequest } from '../test/visit.js'
import { waitingAgent } from '../test/waiting.js'

const user = { role: 'user', content: 'Wait.' }
const streams: [string, object][] = [
  ['/v1/chat/completions', { model: 'helper', stream: true, messages: [user] }],
  ['/ui', { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Wait.' }] }] }],
  ['/ag-ui', { threadId: 't', runId: 'r', tools: [], context: [], messages: [{ id: 'u', ...user }] }],
  ['/runs', { input: 'Wait.' }],
]

describe.each(streams)('a caller of %s stops its run', (path, body) => {
  test('who leaves before anything was read', async () => {
    const { agent, over } = waitingAgent()
    const response = await handlerOf(agent)(toRequest(path, { body }))
    await response.body?.cancel()
    await over
  })

  test('who hangs up before anything was read', async () => {
    const { agent, over } = waitingAgent()
    const caller = new AbortController()
    await handlerOf(agent)(toRequest(path, { body, signal: caller.signal }))
    caller.abort()
    await over
  })

  test('who hangs up before there is an answer', async () => {
    const handler = handlerOf(waitingAgent().agent, { maxRuns: 1 })
    const caller = new AbortController()
    const answering = handler(toRequest(path, { body, signal: caller.signal }))
    caller.abort()
    await answering
    let status = 429
    for (let tries = 0; status === 429 && tries < 1000; tries++)
      status = (await handler(toRequest(path, { body }))).status
    expect(status).toBe(200)
    handler.close()
  })
})

test('a reader that leaves at once leaves the run to another', async () => {
  const { agent, over } = waitingAgent()
  const handler = handlerOf(agent)
  const first = await handler(toRequest('/runs', { body: { input: 'Wait.' } }))
  const second = await handler(toRequest(`/runs/${first.headers.get('x-run-id')}/events`))
  await second.body?.cancel()
  const reader = first.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  await reader?.cancel()
  await over
})
