import { expect, test } from 'vitest'
import * as z from 'zod'
import { startScriptedServer } from '../../test/scripted-server.js'
import { Agent, chatModel, tool } from '../index.js'
import type { Message } from '../types/message.js'
import { memorySessions } from './session.js'
import { sessionStore, storeEndedRun } from './session-store.js'

const gate = tool({
  name: 'open_gate',
  description: 'Opens the gate',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'open',
})
const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'a gate' })

test('each run of a session begins with what the others said, and adds to it', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'look' }] },
    { text: 'A gate.' },
    { text: 'Still one.' },
  ])
  const store = memorySessions()
  const session = { store, id: 'ada' }
  const agent = new Agent({ model: chatModel('m', server), tools: [look] })
  await agent.run('What is there?', { session })
  const { messages } = await agent.run([{ role: 'user', content: 'And now?' }], { session })
  expect(messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
  ])
  expect(await store.load('ada')).toMatchObject({ version: 6, messages })
  expect(server.requests[2]?.body.messages).toHaveLength(5)
})

test('of two runs on one session at once, one is a conflict, and has its data back', async () => {
  await using server = await startScriptedServer([{ text: 'One.' }, { text: 'Two.' }])
  const session = { store: memorySessions(), id: 's' }
  const agent = new Agent({ model: chatModel('m', server) })
  const both = await Promise.allSettled([agent.run('first', { session }), agent.run('second', { session })])
  const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(lost.reason).toMatchObject({ code: 'conflict', evidence: expect.anything() })
  expect(lost.reason.state.messages).toHaveLength(2)
  expect((await session.store.load('s')).version).toBe(2)
})

test('a call that waits is added when it is answered, and a session that moved on is a conflict', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'open_gate' }] },
    { text: 'It is open.' },
    { text: 'Hello.' },
  ])
  const session = { store: memorySessions(), id: 's' }
  const agent = new Agent({ model: chatModel('m', server), tools: [gate] })
  const asked = await agent.run('Open it.', { session })
  expect(await session.store.load('s')).toMatchObject({ version: 1 })
  const [call] = asked.pending ?? []
  const decisions = { [call?.callId ?? '']: { type: 'approve' as const } }
  const done = await agent.run(asked.state, { session, decisions })
  expect(await session.store.load('s')).toMatchObject({ version: 4, messages: done.messages })
  await agent.run('Hello?', { session })
  await expect(agent.run(asked.state, { session, decisions })).rejects.toMatchObject({
    code: 'conflict',
    state: asked.state,
  })
})

test('what was said before a failure or an abort is kept', async () => {
  await using server = await startScriptedServer([
    { calls: [{ name: 'look' }] },
    { status: 401, body: { error: { message: 'no' } } },
  ])
  const session = { store: memorySessions(), id: 's' }
  const agent = new Agent({ model: chatModel('m', server), tools: [look] })
  await expect(agent.run('Look.', { session })).rejects.toMatchObject({ code: 'auth' })
  expect((await session.store.load('s')).messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
  ])
  const aborted = await agent.run('Again.', { session, signal: AbortSignal.abort() })
  expect(aborted.stopReason).toBe('aborted')
  expect(await session.store.load('s')).toMatchObject({ version: 4 })
})

test('nothing to say is refused before the session is touched', async () => {
  const session = { store: memorySessions(), id: 's' }
  const agent = new Agent({ model: { name: 'm', complete: () => expect.unreachable() } })
  await expect(agent.run(' ', { session })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await session.store.list()).toEqual([])
})

test('a state of another conversation does not go on in a session', async () => {
  await using server = await startScriptedServer([{ calls: [{ name: 'open_gate' }] }, { text: 'Hello.' }])
  const store = memorySessions()
  const agent = new Agent({ model: chatModel('m', server), tools: [gate] })
  const asked = await agent.run('Open it.')
  await agent.run('Hi.', { session: { store, id: 'other' } })
  await expect(agent.run(asked.state, { session: { store, id: 'other' } })).rejects.toMatchObject({
    code: 'conflict',
  })
  expect(await store.load('other')).toMatchObject({ version: 2 })
})

test('stores the messages of a run that ended without its session, once and with its taint', async () => {
  await using server = await startScriptedServer([{ text: 'A gate.' }])
  const session = { store: memorySessions(), id: 's' }
  const agent = new Agent({ model: chatModel('m', server) })
  const { state } = await agent.run('Look.', { taintedBy: 'mail' })
  await storeEndedRun(state, session)
  await storeEndedRun(state, session)
  const { messages } = await session.store.load('s')
  expect(messages).toMatchObject([{ content: 'Look.' }, { content: 'A gate.', taintedBy: 'mail' }])
})

test('does not store a run in a session with other messages', async () => {
  await using server = await startScriptedServer([{ text: 'A gate.' }])
  const session = { store: memorySessions(), id: 's' }
  await session.store.append('s', [{ role: 'user', content: 'Other.' }], 0)
  const { state } = await new Agent({ model: chatModel('m', server) }).run('Look.')
  await expect(storeEndedRun(state, session)).rejects.toMatchObject({ code: 'conflict' })
  expect((await session.store.load('s')).version).toBe(1)
})

/** A store as an application writes it, with a state of its own. */
class OwnStore {
  readonly #kept = memorySessions()
  readonly calls: string[] = []

  async load(id: string) {
    this.calls.push('load')
    return this.#kept.load(id)
  }

  async append(id: string, messages: readonly Message[], version: number) {
    this.calls.push('append')
    return this.#kept.append(id, messages, version)
  }

  async list() {
    return this.#kept.list()
  }

  async delete(id: string) {
    await this.#kept.delete(id)
  }
}

test('a store of your own is an object or a class, and its methods are called on it', async () => {
  await using server = await startScriptedServer([{ text: 'A gate.' }, { text: 'Still one.' }])
  const own = new OwnStore()
  const session = { store: sessionStore(own), id: 's' }
  const agent = new Agent({ model: chatModel('m', server) })
  await agent.run('What is there?', { session })
  await agent.run('And now?', { session })
  expect(own.calls).toEqual(['load', 'append', 'load', 'append'])
  expect(await session.store.list()).toMatchObject([{ id: 's', version: 4 }])
  expect(session.store).not.toHaveProperty('fork')
})

test('a store of your own with branches has both methods, or it is refused', () => {
  const { fork, branches, ...rest } = memorySessions()
  const withBoth = sessionStore({ ...rest, ...(fork && { fork }), ...(branches && { branches }) })
  expect(Object.keys(withBoth)).toEqual(['load', 'append', 'list', 'delete', 'fork', 'branches', 'wrapRun'])
  expect(() => sessionStore({ ...rest, ...(fork && { fork }) })).toThrow('sessionStore has no branches. ')
  expect(() => sessionStore(undefined as never)).toThrow('sessionStore has no load, append, list, delete. ')
})
