import { Agent, CapstanError, memorySessions, type SessionStore, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { book, handlerOf, scripted, toRequest } from '../test/requests.js'

const away = () => new CapstanError('network', 'The database cannot be reached.', { retryable: true })

/** Returns a store in which the next calls to a method fail, either before or after they store anything. */
function failing(method: 'load' | 'append', { times = 1, isStored = false, error = away() } = {}) {
  const store = memorySessions()
  let left = times
  const calls = { load: 0, append: 0 }
  const fail = async <T>(name: 'load' | 'append', work: () => Promise<T>): Promise<T> => {
    calls[name] += 1
    if (name !== method || left === 0) return work()
    left -= 1
    if (isStored) await work()
    throw error
  }
  const broken: SessionStore = {
    ...store,
    load: (...given) => fail('load', () => store.load(...given)),
    append: (...given) => fail('append', () => store.append(...given)),
  }
  return { store, broken, calls }
}

const run = { body: { input: 'Hello.', session: 'a', stream: false } }
const told = (store: SessionStore) => store.list().then(([one]) => store.load(one?.id ?? ''))

test.each([
  ['a read fails', 'load', {}],
  ['two reads fail', 'load', { times: 2 }],
  ['a write fails', 'append', {}],
  ['the response of a write is lost', 'append', { isStored: true }],
] as const)('a run goes on when %s because the store cannot be reached', async (_, method, how) => {
  const { store, broken } = failing(method, how)
  const handler = handlerOf(scripted([reply.text('Hi.')]), { sessions: broken })
  const response = await handler(toRequest('/runs', run))
  expect(await response.json()).toMatchObject({ stopReason: 'done', text: 'Hi.' })
  const { messages } = await told(store)
  expect(messages.map(({ content }) => content)).toEqual(['Hello.', 'Hi.'])
})

test('a lost response of a write is a conflict when another one has written since', async () => {
  const { store, broken } = failing('append')
  const { append } = broken
  let isFirst = true
  const other: SessionStore = {
    ...broken,
    async append(id, messages, version) {
      if (isFirst) await store.append(id, [{ role: 'user', content: 'Another.' }], version)
      isFirst = false
      return append(id, messages, version)
    },
  }
  const handler = handlerOf(scripted([reply.text('Hi.')]), { sessions: other })
  const response = await handler(toRequest('/runs', run))
  expect(await response.json()).toMatchObject({ error: { code: 'conflict' } })
  expect((await told(store)).messages).toMatchObject([{ content: 'Another.' }])
})

test('another error of a store is not tried again', async () => {
  const { broken, calls } = failing('load', { error: new TypeError('a bug') as never })
  const handler = handlerOf(scripted([reply.text('Hi.')]), { sessions: broken })
  const response = await handler(toRequest('/runs', run))
  expect(response.status).toBe(500)
  expect(calls.load).toBe(1)
})

test('a call that failed beside one that waited is stored as failed', async () => {
  const fail = tool({
    name: 'fail',
    description: 'Fails',
    parameters: z.object({}),
    execute() {
      throw new Error('It broke.')
    },
  })
  const steps = [
    reply.calls(reply.call('fail', {}), reply.call('book_room', { city: 'Oslo' })),
    reply.text('Booked.'),
  ]
  const sessions = memorySessions()
  const agent = new Agent({ name: 'helper', model: scriptedModel(steps), tools: [fail, book] })
  const handler = handlerOf(agent, { sessions })
  const first = await (await handler(toRequest('/runs', run))).json()
  const decisions = { [first.pending[0].callId]: { type: 'approve' } }
  const body = { run: first.runId, decisions, stream: false }
  expect(await (await handler(toRequest('/runs', { body }))).json()).toMatchObject({ stopReason: 'done' })
  const { messages } = await told(sessions)
  expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([
    { status: 'error', content: expect.stringContaining('It broke.') },
    { status: 'ok', content: 'booked in Oslo' },
  ])
})
