import { HttpAgent } from '@ag-ui/client'
import { Agent, memorySessions, type SessionStore, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { book, draw, handlerOf, toRequest, weather } from '../requests.js'

function threadOf(
  steps: readonly ScriptStep[],
  {
    sessions = memorySessions(),
    execute = async () => 'done',
    context = () => undefined,
  }: Partial<Setup> = {},
) {
  const wait = tool({ name: 'wait', description: 'Waits', parameters: z.object({}), execute })
  const model = scriptedModel(steps)
  const agent = new Agent({ name: 'helper', model, tools: [weather, draw, book, wait] })
  const handler = handlerOf(agent, { sessions, context })
  const statuses: number[] = []
  const events: { readonly type: string; readonly [field: string]: unknown }[] = []
  const device = () => {
    const client = new HttpAgent({
      url: 'http://house.test/ag-ui',
      headers: { authorization: 'Bearer user-ann' },
      threadId: 'thread',
      async fetch(url, init) {
        const response = await handler(new Request(url, init))
        statuses.push(response.status)
        return response
      },
    })
    const run = () => client.runAgent({}, { onEvent: ({ event }) => void events.push({ ...event }) })
    const say = (id: string, content: string) => {
      client.addMessage({ id, role: 'user', content })
      return run()
    }
    /** Changes a message, as a page does: what was behind it is gone. */
    const edit = (id: string, content: string) => {
      const at = client.messages.findIndex((message) => message.id === id)
      client.setMessages([...client.messages.slice(0, at), { id, role: 'user', content }])
      return run()
    }
    return { client, say, edit }
  }
  const read = async (query = '') => {
    const { messages } = await (await handler(toRequest(`/ag-ui/threads/thread${query}`))).json()
    return messages.map(({ content }: { content?: string }) => content)
  }
  const sent = () => model.requests.at(-1)?.messages.map(({ content }) => content)
  return { model, handler, device, read, sent, statuses, events }
}

interface Setup {
  readonly sessions: SessionStore
  execute(): Promise<string>
  context(): undefined
}

test('a changed message goes on in a branch, which the thread is from then on', async () => {
  const { device, read, sent } = threadOf(['One.', 'Two.', 'Three.', 'Four.'].map((text) => reply.text(text)))
  const { client, say, edit } = device()
  await say('u1', 'Count.')
  await say('u2', 'Go on.')
  // The server's copy of what is in front counts.
  client.setMessages(
    client.messages.map((one) => (one.id === 'u1' ? { ...one, content: 'Forged.' } : one)) as never,
  )
  await edit('u2', 'Count back.')
  expect(sent()).toEqual(['Count.', 'One.', 'Count back.'])
  expect(client.messages.at(-1)?.content).toBe('Three.')
  expect(await read()).toEqual(['Count.', 'One.', 'Count back.', 'Three.'])
  expect(await read('?branch=thread')).toEqual(['Count.', 'One.', 'Go on.', 'Two.'])
  await device().say('u3', 'Further.')
  expect(sent()).toEqual(['Count.', 'One.', 'Count back.', 'Three.', 'Further.'])
  expect(await read()).toHaveLength(6)
})

test('the same message again is answered again; one that is not stored is new', async () => {
  const { device, read, sent } = threadOf(['One.', 'Two.', 'Three.'].map((text) => reply.text(text)))
  const { say, edit } = device()
  await say('u1', 'Count.')
  await edit('u1', 'Count.')
  expect(sent()).toEqual(['Count.'])
  await device().say('u9', 'Go on.')
  expect(await read()).toEqual(['Count.', 'Two.', 'Go on.', 'Three.'])
})

test('the client is told of effects behind the cut', async () => {
  const { device, events } = threadOf([
    reply.calls(reply.call('draw', { what: 'a cat' }, { id: 'c' }), reply.call('get_weather', { city: 7 })),
    reply.text('Drawn.'),
    reply.text('Then not.'),
  ])
  const { say, edit } = device()
  await say('u1', 'Draw.')
  expect(events.filter(({ name }) => name === 'effects')).toEqual([])
  await edit('u1', 'Do not draw.')
  expect(events.filter(({ name }) => name === 'effects')).toMatchObject([
    { type: 'CUSTOM', value: { calls: [{ callId: 'c', name: 'draw' }] } },
  ])
})

test('calls that wait behind the cut are gone', async () => {
  const { device, sent } = threadOf([reply.call('book_room', { city: 'Oslo' }), reply.text('Hello.')])
  const { client, say } = device()
  await say('u1', 'A room.')
  expect(client.pendingInterrupts).toHaveLength(1)
  // The client itself sends no message before it has decided.
  await device().edit('u1', 'Hello.')
  expect(sent()).toEqual(['Hello.'])
})

test('a message whose reply is in progress cannot be changed', async () => {
  let release = () => {}
  let started = () => {}
  const begun = new Promise<void>((resolve) => {
    started = resolve
  })
  const execute = () => {
    started()
    return new Promise<string>((resolve) => {
      release = () => resolve('done')
    })
  }
  const { device, read, statuses } = threadOf([reply.call('wait', {}), reply.text('Done.')], { execute })
  const running = device().say('u1', 'Wait.')
  await begun
  await expect(device().say('u1', 'Do not wait.')).rejects.toThrow('run_active')
  expect(statuses).toEqual([200, 409])
  release()
  await running
  expect(await read()).toEqual(['Wait.', undefined, 'done', 'Done.'])
})

test('a store without branches takes new messages, and refuses changed ones', async () => {
  const { fork: _, branches: __, ...sessions } = memorySessions()
  const { device, model, statuses } = threadOf([reply.text('One.'), reply.text('Two.')], { sessions })
  const { say, edit } = device()
  await say('u1', 'Count.')
  await say('u2', 'Go on.')
  await expect(edit('u2', 'Count back.')).rejects.toThrow('does not support branches')
  expect(statuses).toEqual([200, 200, 400])
  expect(model.requests).toHaveLength(2)
})

test('a branch whose run cannot start is removed again, and one that is not there is not found', async () => {
  const sessions = memorySessions()
  let isBroken = false
  const context = () => {
    if (isBroken) throw new Error('No context.')
    return undefined
  }
  const { device, handler } = threadOf([reply.text('One.')], { sessions, context })
  const { say, edit } = device()
  await say('u1', 'Count.')
  isBroken = true
  await expect(edit('u1', 'Count back.')).rejects.toThrow('500')
  expect(await sessions.list()).toHaveLength(1)
  const messages = [{ id: 'u1', role: 'user', content: 'Again.' }]
  const body = { threadId: 'thread', runId: 'r', messages, tools: [], context: [] }
  expect((await handler(toRequest('/ag-ui?branch=thread~aaaaaaaa', { body }))).status).toBe(404)
})
