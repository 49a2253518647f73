import { Agent, memorySessions, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { book, eventsIn, handlerOf, hello, scripted, toRequest } from '../../test/requests.js'

const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }
const assistant = { id: 'a', role: 'assistant', parts: [{ type: 'text', text: 'Hello.' }] }
const asked = (part: object) => ({ id: 'a', role: 'assistant', parts: [{ type: 'step-start' }, part] })

const partsIn = async (response: Response) =>
  eventsIn(await response.text()).flatMap(({ data }) => (data === '[DONE]' ? [] : [JSON.parse(data)]))

test.each([
  [{}, 400],
  [{ messages: [] }, 400],
  [{ messages: ['Hi.'] }, 400],
  [{ messages: [{ ...user, parts: 'Hi.' }] }, 400],
  [{ messages: [{ ...user, parts: [null] }] }, 400],
  [{ messages: [{ ...user, role: 'system' }] }, 400],
  [{ messages: [{ ...user, role: 'tool' }] }, 400],
  [{ messages: [user, assistant] }, 400],
  [{ messages: [user], agent: 'nobody' }, 404],
  [{ messages: [user] }, 200],
])('responds to %j with %i', async (body, status) => {
  const response = await handlerOf(hello())(toRequest('/ui', { body }))
  await response.text()
  expect(response.status).toBe(status)
})

test.each([
  ['PUT', '/ui', 405],
  ['PUT', '/ui/chat', 405],
  ['POST', '/ui/chat/stream', 405],
  ['GET', '/ui/chat', 404],
  ['GET', '/ui/chat/stream/more', 404],
  ['GET', '/ui/chat/stream', 204],
  ['GET', '/ui/%zz/stream', 204],
])('responds to %s %s with %i', async (method, path, status) => {
  expect((await handlerOf(hello())(toRequest(path, { method }))).status).toBe(status)
})

test('the stream has its protocol header and ends with [DONE]', async () => {
  const response = await handlerOf(hello())(toRequest('/ui', { body: { messages: [user] } }))
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(eventsIn(await response.text()).at(-1)).toEqual({ data: '[DONE]' })
})

/** Returns an agent whose tool waits until it is released. */
function waiting(name: string) {
  let go = () => {}
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  const wait = tool({ name: 'wait', description: 'Waits', parameters: z.object({}), execute: () => gone })
  return {
    agent: new Agent({
      name,
      model: scriptedModel([reply.call('wait'), reply.text('Over.')]),
      tools: [wait],
    }),
    go,
  }
}

/** Returns a handler with a pending call, and the id of its approval request. */
async function askedForRoom(
  options = {},
  steps: readonly ScriptStep[] = [reply.text('Booked.'), reply.text('Booked again.')],
) {
  const booked: string[] = []
  const room = tool({
    name: 'book_room',
    description: 'Books a room',
    parameters: z.object({}),
    needsApproval: true,
    execute: () => {
      booked.push('room')
      return 'Room 5.'
    },
  })
  const model = scriptedModel([reply.call('book_room'), ...steps])
  const handler = handlerOf(new Agent({ name: 'helper', model, tools: [room] }), options)
  const parts = await partsIn(await handler(toRequest('/ui', { body: { id: 'chat', messages: [user] } })))
  const { approvalId } = parts.find(({ type }) => type === 'tool-approval-request')
  const answer = (part: object, message = {}, sent = {}) => {
    const said = { type: 'tool-book_room', toolCallId: 'call_1_1', input: {}, ...part }
    const messages = [user, { ...asked(said), ...message }]
    return handler(toRequest('/ui', { body: { id: 'chat', messages }, ...sent }))
  }
  const yes = { state: 'approval-responded', approval: { id: approvalId, approved: true } }
  return { handler, booked, answer, yes }
}

test('accepts an approval once', async () => {
  const { answer, yes, booked } = await askedForRoom()
  const [first, second] = await Promise.all([answer(yes), answer(yes)])
  const parts = await partsIn(first)
  expect(parts[0]).toMatchObject({ type: 'start', messageId: 'a' })
  // The second response follows the run that the first one continued.
  expect(await partsIn(second)).toEqual(parts)
  expect(booked).toEqual(['room'])
})

test('tools that are not valid deny no call that waits', async () => {
  const { handler, answer, yes, booked } = await askedForRoom()
  const body = { id: 'chat', messages: [{ ...user, id: 'u2' }], tools: { 'not a name': {} } }
  expect((await handler(toRequest('/ui', { body }))).status).toBe(400)
  expect((await answer(yes)).status).toBe(200)
  await expect.poll(() => booked).toEqual(['room'])
})

describe.each([
  ['kept by the page', () => ({})],
  ['kept here', () => ({ sessions: memorySessions() })],
])('when the model fails after an approved call, in a conversation %s', (_, options) => {
  const unwell = () => askedForRoom(options(), [reply.fail('api'), reply.fail('api'), reply.text('Booked.')])

  test('the same approval resumes after the call and sends its result', async () => {
    const { answer, yes, booked } = await unwell()
    for (const _ of [1, 2]) expect((await partsIn(await answer(yes))).at(-1)).toMatchObject({ type: 'error' })
    const parts = await partsIn(await answer(yes))
    expect(parts).toContainEqual({
      type: 'tool-output-available',
      toolCallId: 'call_1_1',
      output: 'Room 5.',
    })
    expect(parts).toContainEqual(expect.objectContaining({ delta: 'Booked.' }))
    expect(booked).toEqual(['room'])
    expect(await partsIn(await answer(yes))).toEqual(parts)
    expect(booked).toEqual(['room'])
  })

  test('so does a page that already has the result', async () => {
    const { answer, yes, booked } = await unwell()
    const failed = await partsIn(await answer(yes))
    const { runId } = failed[0].messageMetadata
    const heard = { state: 'output-available', output: 'Room 5.' }
    await (await answer(heard, { metadata: { runId } })).text()
    const parts = await partsIn(await answer(heard, { metadata: { runId } }))
    expect(parts).toContainEqual(expect.objectContaining({ delta: 'Booked.' }))
    expect(booked).toEqual(['room'])
  })

  test('another decision or another user does not', async () => {
    const { answer, yes, booked } = await unwell()
    await (await answer(yes)).text()
    const no = { ...yes, approval: { ...yes.approval, approved: false } }
    expect((await answer(no)).status).toBe(409)
    expect((await answer(yes, {}, { user: 'bob' })).status).toBe(409)
    expect(booked).toEqual(['room'])
  })
})

test('an old approval does not approve a newer call with the same id', async () => {
  const { answer, yes, booked } = await askedForRoom({}, [
    reply.call('book_room', {}, { id: 'call_1_1' }),
    reply.text('Over.'),
  ])
  const asked = await partsIn(await answer(yes))
  expect(asked.filter(({ type }) => type === 'tool-approval-request')).toHaveLength(1)
  expect(await partsIn(await answer(yes))).toEqual(asked)
  expect(booked).toEqual(['room'])
})

test('a page that disconnected after an approved call resumes with the same approval', async () => {
  let ask = () => {}
  const isAsked = new Promise<void>((resolve) => {
    ask = resolve
  })
  const slow: ScriptStep = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      ask()
    })
  const { answer, yes, booked } = await askedForRoom({}, [slow, reply.text('Booked.')])
  const first = await answer(yes)
  const reader = first.body?.getReader()
  for (let told = ''; !told.includes('tool-output-available'); ) {
    const { value } = (await reader?.read()) ?? {}
    told += new TextDecoder().decode(value)
  }
  await isAsked
  await reader?.cancel()
  await expect.poll(async () => (await answer(yes)).text()).toContain('Booked.')
  expect(booked).toEqual(['room'])
})

test.each([
  ['of another user', {}, { user: 'bob' }],
  ['for another run', { approval: { id: 'other:call_1_1', approved: true } }, {}],
  ['that names no run', { approval: { id: 'call_1_1', approved: true } }, {}],
  ['without an id', { approval: { approved: true } }, {}],
])('an approval %s matches no pending call', async (_, changes, sent) => {
  const { answer, yes, booked } = await askedForRoom()
  expect((await answer({ ...yes, ...changes }, {}, sent)).status).toBe(409)
  expect(booked).toEqual([])
})

test("the page cannot give the result of an agent's tool", async () => {
  const { answer, yes, booked } = await askedForRoom({ sessions: memorySessions() })
  expect((await answer({ state: 'output-available', output: 'booked' })).status).toBe(409)
  expect(booked).toEqual([])
  await (await answer(yes)).text()
  expect(booked).toEqual(['room'])
})

test('an approval rejected with 429 can be sent again', async () => {
  const { agent: busy, go } = waiting('busy')
  const agent = scripted([reply.call('book_room', { city: 'Oslo' }), reply.text('Booked.')])
  const handler = handlerOf([agent, busy], { maxRuns: 1 })
  onTestFinished(async () => void (await handler.close()))
  const parts = await partsIn(await handler(toRequest('/ui', { body: { messages: [user] } })))
  const { approvalId } = parts.find(({ type }) => type === 'tool-approval-request')
  const approval = { id: approvalId, approved: true }
  const said = { type: 'tool-book_room', toolCallId: 'call_1_1', state: 'approval-responded', approval }
  const body = { messages: [user, asked(said)] }
  const first = await handler(toRequest('/ui', { body: { messages: [user], agent: 'busy' } }))
  expect((await handler(toRequest('/ui', { body }))).status).toBe(429)
  go()
  await first.text()
  expect(await (await handler(toRequest('/ui', { body }))).text()).toContain('Booked.')
})

test('only its own user can resume the stream of a reply', async () => {
  const { agent, go } = waiting('helper')
  const handler = handlerOf(agent)
  const first = await handler(toRequest('/ui', { body: { id: 'my chat', messages: [user] } }))
  const [own, bobs] = await Promise.all(
    ['ann', 'bob'].map((name) => handler(toRequest('/ui/my%20chat/stream', { user: name }))),
  )
  expect([own?.status, bobs?.status]).toEqual([200, 204])
  go()
  expect(await own?.text()).toBe(await first.text())
})

/** Returns a chat whose page disconnects in the middle of a reply, which then completes. */
async function leftAlone(options = {}) {
  const { agent, go } = waiting('helper')
  const handler = handlerOf(agent, { onDisconnect: 'finish', ...options })
  onTestFinished(async () => void (await handler.close()))
  const first = await handler(toRequest('/ui', { body: { id: 'chat', messages: [user] } }))
  const runId = first.headers.get('x-run-id')
  await first.body?.cancel()
  go()
  const events = () => handler(toRequest(`/runs/${runId}/events`))
  const again = (name = 'ann') => handler(toRequest('/ui/chat/stream', { user: name }))
  return { handler, events, again, runId }
}

test('a reply that ended without its page is sent whole, to its own user, once', async () => {
  const { again, events } = await leftAlone()
  await (await events()).text()
  expect((await again('bob')).status).toBe(204)
  const parts = await partsIn(await again())
  expect(parts.map(({ type }) => type)).toContain('tool-output-available')
  expect(parts.filter(({ type }) => type === 'text-delta')).toMatchObject([{ delta: 'Over.' }])
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  expect((await again()).status).toBe(204)
})

test('a page that disconnects again in the middle can resume again', async () => {
  const { again, events } = await leftAlone()
  await (await events()).text()
  await (await again()).body?.cancel()
  expect(await partsIn(await again())).toContainEqual(expect.objectContaining({ delta: 'Over.' }))
})

test('a stream is kept as long as ended runs, and not after the handler closes', async () => {
  const { again, events } = await leftAlone({ keepRunsMs: 0 })
  await (await events()).text()
  await expect.poll(async () => (await again()).status).toBe(204)
  const closed = await leftAlone()
  await (await closed.events()).text()
  await closed.handler.close()
  expect([(await closed.again()).status, (await closed.events()).status]).toEqual([503, 503])
})

test('an aborted reply is not sent again', async () => {
  const { agent } = waiting('helper')
  const handler = handlerOf(agent, { onDisconnect: 'finish' })
  const first = await handler(toRequest('/ui', { body: { id: 'chat', messages: [user] } }))
  await first.body?.cancel()
  const run = `/runs/${first.headers.get('x-run-id')}`
  await handler(toRequest(run, { method: 'DELETE' }))
  await (await handler(toRequest(`${run}/events`))).text()
  expect((await handler(toRequest('/ui/chat/stream'))).status).toBe(204)
})

test('a failure while the page was away is sent too', async () => {
  const model = scriptedModel([reply.fail('api')])
  const handler = handlerOf(new Agent({ name: 'helper', model }), { onDisconnect: 'finish' })
  onTestFinished(async () => void (await handler.close()))
  const first = await handler(toRequest('/ui', { body: { id: 'chat', messages: [user] } }))
  await first.body?.cancel()
  const parts = await partsIn(await handler(toRequest('/ui/chat/stream')))
  expect(parts.at(-1)).toMatchObject({ type: 'error' })
})

test('tools that a front end sends are client tools', async () => {
  const model = scriptedModel([reply.call('position')])
  const handler = handlerOf(new Agent({ name: 'helper', model, tools: [book] }))
  const tools = { position: { description: 'Where', parameters: { type: 'object', properties: {} } } }
  const parts = await partsIn(await handler(toRequest('/ui', { body: { messages: [user], tools } })))
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'tool-calls' })
  expect(parts.some(({ type }) => type === 'tool-approval-request')).toBe(false)
})

test.each([
  ['kept by the page', {}, 200],
  ['kept here', { sessions: memorySessions() }, 409],
])(
  'a result without a pending run is a turn of a conversation %s, or rejected',
  async (_, options, status) => {
    const part = {
      type: 'tool-position',
      toolCallId: 'c',
      state: 'output-available',
      input: {},
      output: 'Oslo',
    }
    const body = { id: 'chat', messages: [user, asked(part)] }
    const response = await handlerOf(hello(), options)(toRequest('/ui', { body }))
    await response.text()
    expect(response.status).toBe(status)
  },
)

test("rejects a page tool with the name of an agent's tool", async () => {
  const tools = { book_room: { description: 'Mine', parameters: { type: 'object' } } }
  const response = await handlerOf(hello())(toRequest('/ui', { body: { messages: [user], tools } }))
  expect([response.status, response.headers.get('x-error-code')]).toEqual([400, 'invalid_tool'])
})
