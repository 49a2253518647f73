import { Agent, CapstanError, memorySessions } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { draw, eventsIn, handlerOf, toRequest, weather } from '../../test/requests.js'

const user = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })

function chatOf(steps: readonly ScriptStep[], sessions = memorySessions()) {
  const model = scriptedModel(steps)
  const handler = handlerOf(new Agent({ name: 'helper', model, tools: [weather, draw] }), { sessions })
  const post = async (body: object) => {
    const response = await handler(toRequest('/ui', { body: { id: 'chat', ...body } }))
    return {
      status: response.status,
      code: response.headers.get('x-error-code'),
      text: await response.text(),
    }
  }
  const get = async (query = '') => (await handler(toRequest(`/ui/chat${query}`))).json()
  const textsOf = (chat: { messages: { parts: { type: string; text?: string }[] }[] }) =>
    chat.messages.map(({ parts }) => parts.flatMap(({ type, text }) => (type === 'text' ? text : [])).join())
  return { model, handler, post, get, textsOf }
}

const said = (model: ReturnType<typeof scriptedModel>) =>
  model.requests.at(-1)?.messages.map(({ content }) => content)

test('a reply is generated again in a branch, and the newest branch is the chat', async () => {
  const { model, post, get, textsOf } = chatOf([reply.text('One.'), reply.text('Two.'), reply.text('Three.')])
  await post({ messages: [user('m', 'Count.')] })
  const before = await get()
  expect(before.branch).toBe('chat')
  expect((await post({ messages: [user('m', 'Count.')], trigger: 'regenerate-message' })).status).toBe(200)
  expect(said(model)).toEqual(['Count.'])
  const after = await get()
  expect(textsOf(after)).toEqual(['Count.', 'Two.'])
  expect(after.messages[0].id).toBe('m')
  expect(after.branches).toHaveLength(2)
  expect(textsOf(await get('?branch=chat'))).toEqual(['Count.', 'One.'])
  await post({ messages: [...after.messages, user('n', 'Go on.')] })
  expect(said(model)).toEqual(['Count.', 'Two.', 'Go on.'])
  expect((await (await get()).messages).length).toBe(4)
})

test('an earlier message is changed: what is in front of it stays as the server has it', async () => {
  const { model, post, get, textsOf } = chatOf([reply.text('One.'), reply.text('Two.'), reply.text('Three.')])
  await post({ messages: [user('m', 'Count.')] })
  await post({ messages: [user('n', 'Go on.')] })
  const forged = [user('m', 'Forged.'), user('n', 'Count back.')]
  expect((await post({ messages: forged, messageId: 'n' })).status).toBe(200)
  expect(said(model)).toEqual(['Count.', 'One.', 'Count back.'])
  expect(textsOf(await get())).toEqual(['Count.', 'One.', 'Count back.', 'Three.'])
})

test('a message whose reply failed is sent again with its id: it is stored once', async () => {
  const { model, post, get, textsOf } = chatOf([
    reply.text('One.'),
    () => {
      throw new CapstanError('auth', 'The key is not valid.')
    },
    reply.text('Two.'),
    reply.text('Three.'),
  ])
  await post({ messages: [user('m', 'Count.')] })
  const failed = [...(await get()).messages, user('n', 'Go on.')]
  expect((await post({ messages: failed })).text).toContain('The agent failed (auth).')
  expect(textsOf(await get())).toEqual(['Count.', 'One.', 'Go on.'])
  expect((await post({ messages: failed })).status).toBe(200)
  expect(said(model)).toEqual(['Count.', 'One.', 'Go on.'])
  expect(textsOf(await get())).toEqual(['Count.', 'One.', 'Go on.', 'Two.'])
  // Once there is a reply, a message with the same id is a new message, because some pages do not use unique ids.
  await post({ messages: [user('n', 'And on.')] })
  expect(textsOf(await get())).toEqual(['Count.', 'One.', 'Go on.', 'Two.', 'And on.', 'Three.'])
})

test('a reply that is named by its id is generated again, also in the middle', async () => {
  const { model, post, get } = chatOf([reply.text('One.'), reply.text('Two.'), reply.text('Again.')])
  await post({ messages: [user('m', 'Count.')] })
  await post({ messages: [user('n', 'Go on.')] })
  const [, first] = (await get()).messages
  await post({ messages: [user('m', 'Count.')], trigger: 'regenerate-message', messageId: first.id })
  expect(said(model)).toEqual(['Count.'])
})

test('the page is told of effects behind the cut', async () => {
  const { post } = chatOf([
    reply.call('draw', { what: 'a cat' }, { id: 'c' }),
    reply.text('Drawn.'),
    reply.text('No.'),
  ])
  await post({ messages: [user('m', 'Draw.')] })
  const { text } = await post({ messages: [user('m', 'Draw.')], trigger: 'regenerate-message' })
  const parts = eventsIn(text).flatMap(({ data }) => (data === '[DONE]' ? [] : JSON.parse(data)))
  expect(parts.find(({ type }) => type === 'data-effects')?.data.calls).toMatchObject([
    { callId: 'c', name: 'draw' },
  ])
})

test.each([
  ['an unknown reply', { trigger: 'regenerate-message', messageId: 'x' }, 404],
  ['an unknown message', { messages: [user('x', 'Hi.')], messageId: 'x' }, 404],
  ['an unknown branch', { branch: 'chat~aaaaaaaa' }, 404],
  ['a branch of another chat', { branch: 'other' }, 404],
])('%s is not found, and nothing is asked', async (_, changes, status) => {
  const { model, post, get } = chatOf([reply.text('One.'), reply.text('Two.')])
  await post({ messages: [user('m', 'Count.')] })
  expect((await post({ messages: [user('m', 'Count.')], ...changes })).status).toBe(status)
  expect(model.requests).toHaveLength(1)
  expect((await get()).branches).toHaveLength(1)
})

test('a store without branches refuses changes', async () => {
  const { fork: _, branches: __, ...plain } = memorySessions()
  const { post } = chatOf([reply.text('One.')], plain)
  await post({ messages: [user('m', 'Count.')] })
  const refused = await post({ messages: [user('m', 'Count.')], trigger: 'regenerate-message' })
  expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('does not support branches') })
})
