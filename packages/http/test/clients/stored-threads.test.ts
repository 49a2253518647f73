import { HttpAgent } from '@ag-ui/client'
import { Agent, type Message, memorySessions } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { toAgUiMessages } from '../../src/ag-ui/stored.js'
import { ownedKey } from '../../src/owned-cache.js'
import { toTurns } from '../../src/ui/to-ui-messages.js'
import { book, handlerOf, pixel, toRequest, weather } from '../requests.js'

/** Gives stored messages the ids of the client and of its runs, as the engine does. */
function withIds(messages: readonly Message[], client: HttpAgent): readonly Message[] {
  const marked = messages.map((message) => ({ ...message }))
  const users = client.messages.filter(({ role }) => role === 'user').map(({ id }) => id)
  // The run is the first word of the ids that it gave.
  const runs = client.messages.flatMap(({ id, role }, at, all) =>
    role !== 'user' && all[at - 1]?.role === 'user' ? [id.split(' ')[0]] : [],
  )
  for (const { role, start, messages: own } of toTurns(messages)) {
    const messageId = role === 'user' ? users.shift() : runs.shift()
    for (const [at] of own.entries()) Object.assign(marked[start + at] ?? {}, { messageId })
  }
  return marked
}

test('a stored thread has the messages and ids that the client built from its streams', async () => {
  const sessions = memorySessions()
  const look = {
    id: 'call_0_1',
    type: 'function' as const,
    function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
  }
  const model = scriptedModel([
    { message: { role: 'assistant', content: 'I look.', reasoning_content: 'Hm.', tool_calls: [look] } },
    reply.calls(reply.call('get_weather', { city: 'Rome' }), reply.call('get_weather', { city: 7 })),
    reply.text('Four and four.'),
    reply.text('You are welcome.'),
    reply.text('Bye, then.'),
  ])
  const handler = handlerOf(new Agent({ name: 'helper', model, tools: [weather, book] }), { sessions })
  const client = new HttpAgent({
    url: 'http://house.test/ag-ui',
    headers: { authorization: 'Bearer user-ann' },
    threadId: 'thread',
    fetch: (url, init) => handler(new Request(url, init)),
  })
  const source = { type: 'data' as const, value: pixel.toString('base64'), mimeType: 'image/png' }
  const content = [
    { type: 'text' as const, text: 'Oslo?' },
    { type: 'image' as const, source },
  ]
  client.addMessage({ id: 'u1', role: 'user', content })
  await client.runAgent()
  client.addMessage({ id: 'u2', role: 'user', content: 'Thanks.' })
  await client.runAgent()

  const { messages } = await sessions.load(ownedKey('ann', 'thread'))
  const artifactUrl = (id: string) => `/artifacts/${id}`
  const shown = toAgUiMessages(withIds(messages, client), { id: 'thread', artifactUrl })
  const [own, ...others] = JSON.parse(JSON.stringify(client.messages))
  // Results stand in the order of their calls; the client got them as they came.
  expect(byId(shown.slice(1))).toEqual(byId(others))
  expect(others.map(({ role }: { role: string }) => role)).toEqual([
    ...['reasoning', 'assistant', 'tool', 'assistant', 'tool', 'tool', 'assistant'],
    ...['user', 'assistant'],
  ])
  // The client has the bytes, the session the artifact.
  const url = expect.stringMatching(/^\/artifacts\/img_\w+$/)
  expect(shown[0]).toEqual({
    ...own,
    content: [content[0], { type: 'image', source: { type: 'url', value: url, mimeType: 'image/png' } }],
  })

  // A second device goes on with what it has read.
  const read = await (await handler(toRequest('/ag-ui/threads/thread'))).json()
  client.setMessages(read.messages)
  client.addMessage({ id: 'u3', role: 'user', content: 'Bye.' })
  await client.runAgent()
  expect(client.messages).toHaveLength(shown.length + 2)
  expect(client.messages.at(-1)?.content).toBe('Bye, then.')
})

function byId(messages: readonly object[]): readonly object[] {
  return messages.toSorted((one, other) => String(Object(one).id).localeCompare(String(Object(other).id)))
}
