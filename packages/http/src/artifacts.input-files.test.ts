import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { handlerOf, pixel, toRequest } from '../test/requests.js'

const png = `data:image/png;base64,${pixel.toString('base64')}`

/** Returns an agent, and a function that sends it a file and returns what it got. */
function sending(count = 1) {
  const model = scriptedModel(Array.from({ length: count }, () => reply.text('Thanks.')))
  const agent = new Agent({ name: 'helper', model })
  const handler = handlerOf(agent)
  return {
    agent,
    async send(url: string, user = 'ann') {
      const parts = [{ type: 'file', url, mediaType: 'image/png' }]
      const body = { messages: [{ id: 'm', role: 'user', parts }] }
      const response = await handler(toRequest('/ui', { body, user }))
      await response.text()
      return { status: response.status, told: model.requests.at(-1)?.messages.at(-1)?.content }
    },
  }
}

test.each([
  [png, /^Attached: img_\w+ \(image\/png, 70 bytes\)$/],
  // The bytes count, not the declared media type.
  [png.replace('image/png', 'text/html'), /image\/png/],
  ['data:,a%20b', /^Attached: file_\w+ \(application\/octet-stream, 3 bytes\)$/],
  ['data:text/plain;charset=utf-8,h%C3%A9', /^Attached: txt_\w+ \(text\/plain, 3 bytes\)$/],
])('stores %.40s', async (url, told) => {
  expect(await sending().send(url)).toMatchObject({ status: 200, told: expect.stringMatching(told) })
})

test.each([
  'https://example.com/a.png',
  'http://127.0.0.1/admin',
  'file:///etc/passwd',
  'blob:https://example.com/1',
  'data:image/png;base64,!!!',
  'data:text/plain,%zz',
  'data:',
  '/artifacts/img_abcd2345',
  '',
])('rejects %s and fetches nothing', async (url) => {
  expect(await sending().send(url)).toEqual({ status: 400, told: undefined })
})

test('users name artifacts that they may read by URL', async () => {
  const { send } = sending(2)
  const [id] = /img_\w+/.exec(String((await send(png)).told)) ?? []
  expect((await send(`/artifacts/${id}`)).told).toContain(id)
  expect((await send(`/artifacts/${id}`, 'bob')).status).toBe(400)
})
