import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Agent,
  type Decision,
  jsonSchema,
  memorySessions,
  type RunEvent,
  type SessionStore,
  tool,
} from '@capstan/core'
import { folderSessions } from '@capstan/core/node'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import Libsql from 'libsql'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { sqliteSessions } from '../src/sqlite.js'

const root = await mkdtemp(join(tmpdir(), 'capstan-branches-'))
afterAll(() => rm(root, { recursive: true }))

const parameters = jsonSchema<{ what?: string }>({
  type: 'object',
  properties: { what: { type: 'string' } },
})
const send = tool({ name: 'send', description: 'Sends', parameters, execute: () => 'sent' })
const fail = tool({
  name: 'fail',
  description: 'Fails',
  parameters,
  execute: () => {
    throw new Error('no')
  },
})
const read = tool({
  ...{ name: 'read', description: 'Reads', parameters, effects: 'read' },
  execute: () => 'read',
})
const page = tool({
  ...{ name: 'page', description: 'Reads a page', parameters, untrusted: true, effects: 'read' },
  execute: () => 'a page',
})
const ask = tool({
  ...{ name: 'ask', description: 'Asks', parameters, needsApproval: true },
  execute: () => 'asked',
})

function chatOf(store: SessionStore, steps: readonly ScriptStep[]) {
  const model = scriptedModel(steps)
  const events: RunEvent[] = []
  const agent = new Agent({
    model,
    tools: [send, fail, read, page, ask],
    observe: (event) => void events.push(event),
  })
  const left = () => events.flatMap((event) => (event.type === 'effects-left-behind' ? event : []))
  const textsOf = async (id: string) => (await store.load(id)).messages.map(({ content }) => content)
  const sent = () => model.requests.at(-1)?.messages.map(({ content }) => content)
  return { model, agent, events, left, textsOf, sent, session: { store, id: 'ada' } }
}

const stores: readonly (readonly [string, () => SessionStore])[] = [
  ['memory', memorySessions],
  ['a folder', () => folderSessions(join(root, crypto.randomUUID()))],
  [
    'SQLite',
    () => {
      const db = new Libsql(join(root, `${crypto.randomUUID()}.db`))
      onTestFinished(() => void db.close())
      return sqliteSessions(db)
    },
  ],
]

describe.each(stores)('in %s', (_where, makeStore) => {
  test('a run replaces a user message in a new branch, and the session stays as it is', async () => {
    const { agent, textsOf, sent, session } = chatOf(makeStore(), [
      reply.text('One.'),
      reply.text('Two.'),
      reply.text('Three.'),
    ])
    const first = await agent.run('Count.', { session })
    expect(first.session).toEqual({ id: 'ada', version: 2 })
    expect((await agent.run('Go on.', { session })).session).toEqual({ id: 'ada', version: 4 })
    const branch = await agent.run('Count back.', { session: { ...session, at: 2 } })
    expect(sent()).toEqual(['Count.', 'One.', 'Count back.'])
    expect(branch.session).toEqual({ id: expect.stringMatching(/^ada~[a-z]{8}$/), version: 4 })
    expect(await textsOf(branch.session?.id ?? '')).toEqual(['Count.', 'One.', 'Count back.', 'Three.'])
    expect(await textsOf('ada')).toEqual(['Count.', 'One.', 'Go on.', 'Two.'])
    const tree = (await session.store.branches?.('ada')) ?? []
    expect(tree[0]).toMatchObject({ id: branch.session?.id, from: 'ada', at: 2, version: 4 })
  })

  test('a branch begins behind the last message too, has the id that is given, and outlives its origin', async () => {
    const { agent, sent, textsOf, session } = chatOf(makeStore(), [
      reply.text('One.'),
      reply.text('Two.'),
      reply.text('Three.'),
    ])
    await agent.run('Count.', { session })
    const { session: branch } = await agent.run('Go on.', { session: { ...session, at: 2, as: 'b' } })
    expect(branch).toEqual({ id: 'b', version: 4 })
    await session.store.delete('ada')
    await agent.run('Further.', { session: { ...session, id: 'b' } })
    expect(sent()).toEqual(['Count.', 'One.', 'Go on.', 'Two.', 'Further.'])
    expect(await textsOf('b')).toHaveLength(6)
  })

  test('every other place is refused, with those that are allowed, and nothing is stored or asked', async () => {
    const { model, agent, session } = chatOf(makeStore(), [
      reply.call('send', {}),
      reply.text('Sent.'),
      reply.text('One.'),
    ])
    await agent.run('Send.', { session })
    await agent.run('Count.', { session })
    for (const at of [1, 2, 3, 5, 7, -1, 0.5, NaN, Infinity, '4', 4n, null, true])
      await expect(
        agent.run('Go on.', { session: { ...session, at: at as never } }),
        String(at),
      ).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(
          /^session\.at is .+, neither the index of a user message nor the version 6\. /,
        ),
        evidence: { id: 'ada', allowed: [0, 4, 6] },
      })
    expect(model.requests).toHaveLength(3)
    expect(await session.store.list()).toHaveLength(1)
  })

  test('a branch whose run cannot start is removed again', async () => {
    const { model, agent, session } = chatOf(makeStore(), [reply.text('One.')])
    await agent.run('Count.', { session })
    const branch = { ...session, at: 0 }
    const failing: readonly (readonly [string | [], object])[] = [
      ['Go on.', { limits: { steps: -1 } }],
      ['Go on.', { limits: { cost: 1 } }],
      [' ', {}],
      [[], {}],
    ]
    for (const [input, options] of failing)
      await expect(agent.run(input, { ...options, session: branch })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    expect(model.requests).toHaveLength(1)
    expect(await session.store.list()).toHaveLength(1)
  })

  test('the run tells of calls behind the cut that may have changed something', async () => {
    const { agent, events, left, session } = chatOf(makeStore(), [
      reply.call('send', { what: 'first' }),
      reply.text('Done.'),
      reply.calls(
        reply.call('send', { what: 'second' }, { id: 'second' }),
        reply.call('read', {}),
        reply.call('fail', {}),
        reply.call('unknown', {}),
      ),
      reply.text('Done.'),
      reply.text('Again.'),
      reply.text('And again.'),
    ])
    await agent.run('First.', { session })
    await agent.run('Second.', { session })
    expect(left()).toEqual([])
    events.length = 0
    await agent.run('Another.', { session: { ...session, at: 4 } })
    expect(left()).toMatchObject([
      { calls: [{ callId: 'second', name: 'send', arguments: '{"what":"second"}' }] },
    ])
    expect(left()[0]?.calls).toHaveLength(1)
    expect(events[0]?.type).toBe('run-start')
    expect(events.findIndex(({ type }) => type === 'effects-left-behind')).toBeLessThan(
      events.findIndex(({ type }) => type === 'step-start'),
    )
    events.length = 0
    await agent.run('Go on.', { session: { ...session, at: 11 } })
    expect(left()).toEqual([])
  })

  test('what a branch keeps of untrusted text taints its runs, what it leaves out does not', async () => {
    const { agent, session } = chatOf(makeStore(), [
      reply.text('Hello.'),
      reply.call('page', {}),
      reply.text('Read.'),
      reply.text('One.'),
      reply.text('Clean.'),
      reply.text('Tainted.'),
    ])
    await agent.run('Hello.', { session })
    await agent.run('Read.', { session })
    await agent.run('Count.', { session })
    const clean = await agent.run('Go on.', { session: { ...session, at: 2 } })
    expect(clean.state.taintedBy).toBeUndefined()
    // Without the tool, only the mark shows it.
    const other = new Agent({ model: scriptedModel([reply.text('Tainted.')]) })
    const tainted = await other.run('Go on.', {
      taintedBy: false,
      session: { ...session, at: 6, as: 'tainted' },
    })
    expect(tainted.state.taintedBy).toBe('page')
    expect((await session.store.load('tainted')).messages.map(({ taintedBy }) => taintedBy)).toContain('page')
  })
})

test('a branch that begins at a message sent into a tainted run is tainted', async () => {
  const { agent, session } = chatOf(memorySessions(), [
    reply.call('page', {}),
    reply.text('Read.'),
    reply.text('So far.'),
  ])
  const run = agent.stream('Read.', { session })
  run.on('tool-end', () => run.send('And then?'))
  expect((await run.result).messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
  ])
  const other = new Agent({ model: scriptedModel([reply.text('Tainted.')]) })
  const { state } = await other.run('Go on.', { taintedBy: false, session: { ...session, at: 3 } })
  expect(state.taintedBy).toBe('page')
})

test('a run that fails on the way keeps its branch', async () => {
  const { agent, session } = chatOf(memorySessions(), [reply.text('One.'), reply.fail('auth')])
  await agent.run('Count.', { session })
  await expect(agent.run('Go on.', { session: { ...session, at: 2, as: 'b' } })).rejects.toMatchObject({
    code: 'auth',
  })
  expect((await session.store.load('b')).version).toBe(3)
})

test('a call that waits is decided in two branches', async () => {
  const { agent, session } = chatOf(memorySessions(), [
    reply.call('ask', {}, { id: 'c' }),
    reply.text('Yes.'),
    reply.text('No.'),
  ])
  const asked = await agent.run('Ask.', { session })
  expect(asked.session).toEqual({ id: 'ada', version: 1 })
  const decide = (c: Decision, as: string, at = 1) =>
    agent.run(asked.state, { session: { ...session, at, as }, decisions: { c } })
  expect((await decide({ type: 'approve' }, 'yes')).session).toEqual({ id: 'yes', version: 4 })
  expect((await decide({ type: 'deny', reason: 'No.' }, 'no')).messages.at(-1)).toMatchObject({
    content: 'No.',
  })
  // A state can continue only after its own messages.
  await expect(decide({ type: 'approve' }, 'other', 0)).rejects.toMatchObject({ evidence: { allowed: [1] } })
  expect(await session.store.load('ada')).toMatchObject({ version: 1 })
})

test('a branch of that id, a misspelt field, and a store without branches are refused', async () => {
  const { agent, model, session } = chatOf(memorySessions(), [reply.text('One.'), reply.text('Two.')])
  await agent.run('Count.', { session })
  await agent.run('Go on.', { session: { ...session, at: 2, as: 'b' } })
  await expect(agent.run('Again.', { session: { ...session, at: 2, as: 'b' } })).rejects.toMatchObject({
    code: 'conflict',
  })
  expect(await session.store.load('b')).toMatchObject({ version: 4 })
  const refused = (further: object) => agent.run('Again.', { session: { ...session, ...further } })
  await expect(refused({ index: 2 })).rejects.toThrow(
    'session has no option "index". Options: store, id, at, as.',
  )
  await expect(refused({ as: 'c' })).rejects.toThrow('session.as is the id of a branch. ')
  await expect(refused({ at: 2, as: 7 })).rejects.toThrow('session: as is a number. Use a string.')
  await expect(refused({ at: 2, as: '' })).rejects.toThrow('Invalid session id: "".')
  const { fork: _, branches: __, ...plain } = session.store
  await expect(refused({ store: plain, at: 2 })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('no fork'),
  })
  expect(model.requests).toHaveLength(2)
  expect((await session.store.list()).map(({ id }) => id)).toEqual(['b', 'ada'])
})
