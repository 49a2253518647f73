import { Agent, type Json, memorySessions } from '@capstan/core'
import { memoryRunStore } from '@capstan/stores'
import { reply, scriptedModel } from '@capstan/testing'
import { describe, expect, test } from 'vitest'
import { book, eventsIn, handlerOf, scripted, toRequest } from '../../test/requests.js'
import type { PendingNotice } from '../approvals.js'
import type { HandlerOptions } from '../options.js'

const steps = () => [reply.call('book_room', { city: 'Oslo' }, { id: 'c' }), reply.text('Booked.')]

async function asked(options: Partial<HandlerOptions> = {}) {
  const told: PendingNotice[] = []
  const handler = handlerOf(scripted(steps()), { onPending: (notice) => told.push(notice), ...options })
  const get = async (path: string, user = 'ann') => {
    const response = await handler(toRequest(path, { user }))
    return { status: response.status, body: (await response.json()) as Record<string, Json> }
  }
  const run = await (await handler(toRequest('/runs', { body: { input: 'Book.', stream: false } }))).json()
  const decide = (decision: object) =>
    handler(toRequest(`/runs/${run.runId}/decisions`, { body: { callId: 'c', decision } }))
  return { handler, get, decide, told, runId: run.runId as string }
}

describe('the inbox', () => {
  test("lists the user's own runs with their calls, and tells the application once", async () => {
    const { get, told, runId } = await asked()
    const call = { callId: 'c', name: 'book_room', kind: 'approval', arguments: { city: 'Oslo' } }
    const pending = [{ ...call, approvalId: `${runId}:c`, expiresAt: expect.any(Number) }]
    const info = { runId, agent: 'helper', status: 'pending', pending }
    expect((await get('/runs?status=pending')).body).toMatchObject({ runs: [info] })
    expect((await get(`/runs/${runId}`)).body).toMatchObject(info)
    expect((await get('/runs')).body).toMatchObject({ runs: [info] })
    expect((await get('/runs?status=ended')).body).toEqual({ runs: [] })
    expect((await get('/runs', 'bob')).body).toEqual({ runs: [] })
    expect((await get(`/runs/${runId}`, 'bob')).status).toBe(404)
    expect(told).toMatchObject([{ runId, agent: 'helper', user: 'ann', calls: [call] }])
  })

  test('pages, the newest run first', async () => {
    const handler = handlerOf(scripted([reply.text('a'), reply.text('b'), reply.text('c')]))
    const started: string[] = []
    for (const input of ['1', '2', '3']) {
      const response = await handler(toRequest('/runs', { body: { input, stream: false } }))
      started.push(((await response.json()) as { runId: string }).runId)
    }
    const seen: string[] = []
    for (let after: string | undefined = ''; after !== undefined; ) {
      const query: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
      const response = await handler(toRequest(`/runs?limit=2${query}`))
      const page = (await response.json()) as { runs: { runId: string }[]; after?: string }
      seen.push(...page.runs.map(({ runId }) => runId))
      after = page.after
    }
    expect(seen.toSorted()).toEqual(started.toSorted())
  })

  test.each(['status=open', 'limit=0', 'limit=101', 'limit=x'])('refuses %s', async (query) => {
    const { get } = await asked()
    expect((await get(`/runs?${query}`)).status).toBe(400)
  })
})

describe('a call that nobody decides on', () => {
  test('is denied once its time is over, the run goes on, and later decisions are gone', async () => {
    const late: PendingNotice[] = []
    const { handler, get, decide, runId } = await asked({
      approvals: { expiresInMs: 1, onExpiry: (notice) => late.push(notice) },
    })
    await expect
      .poll(async () => {
        await handler.sweep()
        return (await get(`/runs/${runId}`)).body.status
      })
      .toBe('ended')
    const text = await (await handler(toRequest(`/runs/${runId}/events`))).text()
    expect(text).toContain('Nobody decided in time.')
    expect(eventsIn(text).at(-1)?.data).toContain('"stopReason":"done"')
    expect((await decide({ type: 'approve' })).status).toBe(410)
    expect(late).toMatchObject([{ runId, calls: [{ callId: 'c' }] }])
  })

  test('can no longer be decided on, also before it is denied', async () => {
    const { decide, get, runId } = await asked({ approvals: { expiresInMs: 1 }, sweepMs: 0 })
    const { pending } = (await get(`/runs/${runId}`)).body as { pending: { expiresAt: number }[] }
    await expect.poll(() => Date.now()).toBeGreaterThan(pending[0]?.expiresAt ?? 0)
    expect((await decide({ type: 'approve' })).status).toBe(410)
  })

  test('the same decision again is no error', async () => {
    const { decide, get, runId } = await asked()
    expect((await decide({ type: 'approve' })).status).toBe(204)
    await expect.poll(async () => (await get(`/runs/${runId}`)).body.status).toBe('ended')
    const again = await decide({ type: 'approve' })
    expect([again.status, await again.text()]).toEqual([204, ''])
  })
})

test('a token decides on a call that waits in place', async () => {
  const told: PendingNotice[] = []
  const approvals = { secrets: ['a secret of at least 32 characters'] }
  const handler = handlerOf(scripted(steps()), { approvals, onPending: (notice) => told.push(notice) })
  const response = await handler(toRequest('/runs', { body: { input: 'Book.', wait: true } }))
  const text = response.text()
  await expect.poll(() => told).toHaveLength(1)
  const [{ token = '' } = {}] = told.flatMap(({ calls }) => calls)
  const path = `/decisions/${token}`
  const shown = await handler(toRequest(path, { user: '' }))
  expect(await shown.json()).toMatchObject({ status: 'pending', name: 'book_room' })
  const body = { decision: { type: 'approve' } }
  expect((await handler(toRequest(path, { user: '', body }))).status).toBe(204)
  expect(await text).toContain('Booked.')
})

test('runs that have been kept long enough are removed', async () => {
  const runs = memoryRunStore()
  const handler = handlerOf(scripted([reply.text('a')]), { runs, keepRunsMs: 0 })
  await (await handler(toRequest('/runs', { body: { input: '1', stream: false } }))).text()
  await expect
    .poll(async () => {
      await handler.sweep()
      return (await runs.list({ limit: 10 })).runs
    })
    .toEqual([])
})

describe('a message that is sent while a call waits', () => {
  const user = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })

  test.each([
    ['kept here', () => ({ sessions: memorySessions() })],
    ['kept by the page', () => ({})],
  ])('denies the call, and the model reads so, in a conversation %s', async (_, options) => {
    const model = scriptedModel([...steps().slice(0, 1), reply.text('Well then.')])
    const handler = handlerOf(new Agent({ name: 'helper', model, tools: [book] }), options())
    const first = await handler(toRequest('/ui', { body: { id: 'chat', messages: [user('m', 'Book.')] } }))
    const parts = eventsIn(await first.text()).flatMap(({ data }) =>
      data === '[DONE]' ? [] : JSON.parse(data),
    )
    const { approvalId } = parts.find(({ type }) => type === 'tool-approval-request')
    const waiting = {
      ...{ type: 'tool-book_room', toolCallId: 'c', state: 'approval-requested', input: { city: 'Oslo' } },
      approval: { id: approvalId },
    }
    const asking = { id: 'a', role: 'assistant', parts: [waiting] }
    const messages = [user('m', 'Book.'), asking, user('n', 'Never mind.')]
    await (await handler(toRequest('/ui', { body: { id: 'chat', messages } }))).text()
    expect(model.requests.at(-1)?.messages).toMatchObject([
      { role: 'user', content: 'Book.' },
      { role: 'assistant', tool_calls: [{ id: 'c' }] },
      { role: 'tool', tool_call_id: 'c', content: 'Denied: superseded by a new message.' },
      { role: 'user', content: 'Never mind.' },
    ])
    const yes = { ...waiting, state: 'approval-responded', approval: { id: approvalId, approved: true } }
    const late = [...messages.slice(0, 1), { ...asking, parts: [yes] }]
    const refused = await handler(toRequest('/ui', { body: { id: 'chat', messages: late } }))
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'already_decided'])
  })
})
