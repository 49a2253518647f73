import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type AnyAgent, memorySessions, type SessionStore, type UserMessage } from '@capstan/core'
import { folderSessions } from '@capstan/core/node'
import { reply, scriptedModel } from '@capstan/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { waitingAgent } from '../test/pending-agent.js'
import { book, handlerOf, scripted, toRequest, weather } from '../test/requests.js'
import { storedAgUiRoute } from './ag-ui/stored.js'
import type { HandlerContext, RequestContext } from './context.js'
import { ownedKey } from './owned-cache.js'
import type { ActiveChatRun, ChatRuns } from './stored-chats.js'
import { storedUiRoute } from './ui/stored.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-chats-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let folders = 0
const stores: readonly (readonly [string, () => SessionStore])[] = [
  ['in memory', memorySessions],
  ['in a folder', () => folderSessions(join(folder, String(++folders)))],
]

const hello: readonly [UserMessage] = [{ role: 'user', content: 'Hello.' }]
const say = (chat: string, text: string) => ({
  body: { id: chat, messages: [{ id: `u ${text}`, role: 'user', parts: [{ type: 'text', text }] }] },
})

describe.each(stores)('conversations %s', (_, storeOf) => {
  test('a second device reads a chat as its page has it', async () => {
    const handler = handlerOf(scripted([reply.call('get_weather', { city: 'Oslo' }), reply.text('Four.')]), {
      sessions: storeOf(),
      basePath: '/agent',
    })
    await (await handler(toRequest('/agent/ui', say('my chat', 'Oslo?')))).text()
    const response = await handler(toRequest('/agent/ui/my%20chat'))
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toMatchObject({
      id: 'my chat',
      branch: 'my chat',
      branches: [{ id: 'my chat' }],
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Oslo?' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'step-start' },
            { type: 'tool-get_weather', state: 'output-available', output: { city: 'Oslo', degrees: 4 } },
            { type: 'step-start' },
            { type: 'text', text: 'Four.' },
          ],
        },
      ],
    })
    const thread = await (await handler(toRequest('/agent/ag-ui/threads/my%20chat'))).json()
    expect(thread.messages).toMatchObject([
      { role: 'user', content: 'Oslo?' },
      { role: 'assistant', toolCalls: [{ function: { name: 'get_weather' } }] },
      { role: 'tool', toolCallId: 'call_1_1', content: '{"city":"Oslo","degrees":4}' },
      { role: 'assistant', content: 'Four.' },
    ])
  })

  test('an unknown chat and the chat of another user are empty', async () => {
    const sessions = storeOf()
    const handler = handlerOf(scripted([]), { sessions })
    await sessions.append(ownedKey('ann', 'chat'), hello, 0)
    for (const [path, user] of [
      ['chat', 'bob'],
      ['other', 'ann'],
      [encodeURIComponent(ownedKey('ann', 'chat')), 'bob'],
    ] as const) {
      const chat = await (await handler(toRequest(`/ui/${path}`, { user }))).json()
      expect(chat).toEqual({
        id: decodeURIComponent(path),
        branch: expect.any(String),
        branches: [],
        messages: [],
      })
      const thread = await handler(toRequest(`/ag-ui/threads/${path}`, { user }))
      expect(await thread.json()).toEqual({ messages: [] })
    }
    expect((await handler(toRequest('/ui/chat', { user: '' }))).status).toBe(401)
  })

  test('lists the chats of the user alone, a page after the other', async () => {
    const sessions = storeOf()
    const handler = handlerOf(scripted([]), { sessions })
    const owners = ['ann', 'an', 'anna', 'ann","x', 'bob']
    for (const owner of owners)
      for (const id of ['one', 'two', 'three'])
        await sessions.append(ownedKey(owner, `${id} of ${owner}`), hello, 0)
    await sessions.append('["ann"', hello, 0)
    await sessions.append('a session of a program', hello, 0)
    const seen: string[] = []
    let after: string | undefined = ''
    while (after !== undefined) {
      const query: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
      const page = await (await handler(toRequest(`/ui?limit=2${query}`))).json()
      expect(page.chats.length).toBeLessThanOrEqual(2)
      for (const { id, updatedAt } of page.chats) {
        expect(updatedAt).toBeGreaterThan(1e12)
        seen.push(id)
      }
      after = page.after
    }
    expect(seen.toSorted()).toEqual(['one of ann', 'three of ann', 'two of ann'])
    expect(await (await handler(toRequest('/ui', { user: 'carl' }))).json()).toEqual({ chats: [] })
    const all = await (await handler(toRequest('/ui'))).json()
    expect(all.chats.map(({ id }: { id: string }) => id).toSorted()).toEqual(seen.toSorted())
    expect(all.after).toBe(undefined)
  })

  test('removes a chat of the user alone', async () => {
    const sessions = storeOf()
    const handler = handlerOf(scripted([]), { sessions })
    for (const owner of ['ann', 'bob']) await sessions.append(ownedKey(owner, 'chat'), hello, 0)
    expect((await handler(toRequest('/ui/chat', { method: 'DELETE' }))).status).toBe(204)
    expect((await handler(toRequest('/ui/chat', { method: 'DELETE' }))).status).toBe(204)
    expect((await sessions.load(ownedKey('ann', 'chat'))).version).toBe(0)
    expect((await sessions.load(ownedKey('bob', 'chat'))).version).toBe(1)
  })
})

test('a chat that is removed during its first reply stays removed', async () => {
  const inner = memorySessions()
  const sessions: SessionStore = {
    ...inner,
    async append(...given) {
      await new Promise(setImmediate)
      return inner.append(...given)
    },
  }
  const { agent, asked } = waitingAgent()
  const handler = handlerOf(agent, { sessions })
  const response = await handler(toRequest('/ui', say('chat', 'Hello.')))
  await asked
  expect((await handler(toRequest('/ui/chat', { method: 'DELETE' }))).status).toBe(204)
  await response.text()
  expect(await inner.list()).toEqual([])
  expect(await (await handler(toRequest('/runs'))).json()).toEqual({ runs: [] })
})

test('asks a store with pages for one session more than it shows', async () => {
  const memory = memorySessions()
  const asked: number[] = []
  interface Query {
    readonly prefix: string
    readonly limit: number
    readonly after?: { readonly id: string }
  }
  const list = async ({ prefix, limit, after }: Query) => {
    asked.push(limit)
    const all = (await memory.list()).filter(({ id }) => id.startsWith(prefix))
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after.id) + 1
    return all.slice(start, start + limit)
  }
  const sessions: SessionStore = { ...memory, list: list as unknown as SessionStore['list'] }
  const handler = handlerOf(scripted([]), { sessions })
  for (const id of ['one', 'two', 'three']) await sessions.append(ownedKey('ann', id), hello, 0)
  const first = await (await handler(toRequest('/ui?limit=2'))).json()
  const second = await (
    await handler(toRequest(`/ui?limit=2&after=${encodeURIComponent(first.after)}`))
  ).json()
  const idsOf = ({ chats }: { chats: { id: string }[] }) => chats.map(({ id }) => id)
  expect([idsOf(first), idsOf(second), second.after]).toEqual([['three', 'two'], ['one'], undefined])
  expect(asked).toEqual([3, 3])
})

test('a branch with the id that core gives belongs to the chat of its user', async () => {
  const sessions = withBranches(memorySessions())
  const root = ownedKey('ann', 'chat')
  await sessions.append(root, hello, 0)
  await sessions.append(`${root}~abcdefgh`, hello, 0)
  const handler = handlerOf(scripted([]), { sessions })
  const { chats } = await (await handler(toRequest('/ui'))).json()
  expect(chats).toMatchObject([{ id: 'chat' }])
  const chat = await (await handler(toRequest('/ui/chat?branch=chat~abcdefgh'))).json()
  expect(chat).toMatchObject({ id: 'chat', branch: 'chat~abcdefgh', messages: [{ role: 'user' }] })
})

test.each([
  ['/ui?limit=0', 400],
  ['/ui?limit=101', 400],
  ['/ui?limit=ten', 400],
  ['/ui?after=yesterday', 400],
  ['/ui/chat?branch=other', 404],
  [`/ui/${'x'.repeat(300)}`, 400],
  ['/ui/chat/other', 404],
  ['/ag-ui/threads', 405],
])('rejects %s with %i', async (path, status) => {
  const handler = handlerOf(scripted([]), { sessions: memorySessions() })
  expect((await handler(toRequest(path))).status).toBe(status)
})

test.each([
  ['GET', '/ui'],
  ['GET', '/ui/chat'],
  ['DELETE', '/ui/chat'],
  ['GET', '/ag-ui/threads/chat'],
])('without a store %s %s is 404', async (method, path) => {
  const response = await handlerOf(scripted([]))(toRequest(path, { method }))
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('stores no conversations')
})

/** Returns a request to the routes, with runs that have not ended. */
function contextOf(path: string, sessions: SessionStore): RequestContext {
  const rest = path.split('?')[0]?.split('/').slice(2) ?? []
  const handler = { options: { sessions } } as unknown as HandlerContext
  return { request: toRequest(path), user: { id: 'ann' }, handler, rest }
}

const runsOf = (run: ActiveChatRun | undefined): ChatRuns => ({
  activeRunOf: async (owner, chat) => (owner === 'ann' && chat === 'chat' ? run : undefined),
  endRunsOf: async () => {},
})

const readChat = async (sessions: SessionStore, run: ActiveChatRun, path = '/ui/chat') =>
  (await storedUiRoute(contextOf(path, sessions), runsOf(run)))?.json()

const waits = (): AnyAgent =>
  new Agent({
    name: 'helper',
    model: scriptedModel([
      reply.calls(reply.call('book_room', { city: 'Oslo' }), reply.call('get_weather', { city: 'Oslo' })),
    ]),
    tools: [book, weather],
  })

test('while a run is in progress, the messages end with its user message', async () => {
  const sessions = memorySessions()
  const messages = [
    { role: 'user', content: 'Hi.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Oslo?' },
    { role: 'assistant', content: 'I look.' },
  ] as const
  await sessions.append(ownedKey('ann', 'chat'), messages.slice(0, 2), 0)
  const chat = await readChat(sessions, { runId: 'run', messages, pending: [] })
  expect(chat.runId).toBe('run')
  expect(chat.messages.map(({ parts }: { parts: { text?: string }[] }) => parts.at(-1)?.text)).toEqual([
    'Hi.',
    'Hello.',
    'Oslo?',
  ])
})

test('while calls wait, the last message has them with the ids to decide on them', async () => {
  const { state, pending = [] } = await waits().run('A room.', {
    session: { store: memorySessions(), id: 's' },
  })
  const chat = await readChat(memorySessions(), { ...state, pending })
  expect(chat).toMatchObject({ id: 'chat', branch: 'chat', branches: [] })
  expect('runId' in chat).toBe(false)
  expect(chat.messages[1]).toMatchObject({
    metadata: { runId: state.runId },
    parts: [
      { type: 'step-start' },
      {
        type: 'tool-book_room',
        state: 'approval-requested',
        input: { city: 'Oslo' },
        approval: { id: `${state.runId}:call_1_1` },
      },
      { type: 'tool-get_weather', state: 'output-available', output: { city: 'Oslo', degrees: 4 } },
      { type: 'data-approval', data: { toolCallId: 'call_1_1', reason: '"book_room" needs approval.' } },
    ],
  })
  const thread = await storedAgUiRoute(
    contextOf('/ag-ui/threads/chat', memorySessions()),
    runsOf({ ...state, pending }),
  )
  expect(await thread?.json()).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant', toolCalls: [{ id: 'call_1_1' }, { id: 'call_1_2' }] },
      { role: 'tool', toolCallId: 'call_1_2' },
    ],
  })
})

/** Returns a store whose sessions have branches, according to their ids: `ID~a` is a branch of `ID`. */
function withBranches(store: SessionStore): SessionStore {
  const treeOf = async (id: string) => {
    const root = id.replace(/~\w+/, '')
    const all = await store.list()
    return all
      .filter((one) => one.id.replace(/~\w+/, '') === root)
      .map(({ id, updatedAt }) => (id === root ? { id, updatedAt } : { id, updatedAt, from: root, at: 1 }))
  }
  return Object.assign({}, store, { branches: treeOf })
}

test('the newest branch is the chat, and others are named', async () => {
  const sessions = withBranches(memorySessions())
  const [root, branch] = [ownedKey('ann', 'chat'), ownedKey('ann', 'chat~b')]
  await sessions.append(root, [...hello, { role: 'assistant', content: 'First.' }], 0)
  // The listed times are in milliseconds, so wait for the next one.
  await expect.poll(async () => Date.now() > ((await sessions.list())[0]?.updatedAt ?? 0)).toBe(true)
  await sessions.append(branch, [...hello, { role: 'assistant', content: 'Second.' }], 0)
  const handler = handlerOf(scripted([]), { sessions })
  const read = async (query = '') => (await handler(toRequest(`/ui/chat${query}`))).json()
  const newest = await read()
  expect(newest.branch).toBe('chat~b')
  expect(newest.branches).toContainEqual({ id: 'chat~b', from: 'chat', at: 1, updatedAt: expect.any(Number) })
  expect(newest.messages[1].parts[1].text).toBe('Second.')
  expect((await read('?branch=chat')).messages[1].parts[1].text).toBe('First.')
  expect(JSON.stringify(newest)).not.toContain('ann')
  const foreign = await handler(toRequest('/ui/chat?branch=chat~b', { user: 'bob' }))
  expect(foreign.status).toBe(404)
  expect(await (await handler(toRequest('/ui'))).json()).toEqual({
    chats: [{ id: 'chat', updatedAt: expect.any(Number) }],
  })
  expect(
    (
      await readChat(
        sessions,
        { runId: 'r', messages: hello, pending: [], session: branch },
        '/ui/chat?branch=chat',
      )
    ).runId,
  ).toBe(undefined)
  expect(
    (await readChat(sessions, { runId: 'r', messages: hello, pending: [], session: branch })).runId,
  ).toBe('r')
  await handler(toRequest('/ui/chat', { method: 'DELETE' }))
  expect(await sessions.list()).toEqual([])
})
