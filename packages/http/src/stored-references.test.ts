import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { describe, expect, test } from 'vitest'
import { handlerOf, toRequest } from '../test/requests.js'

const routes = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'And in Rome?' }] },
  '/v1/responses': { input: 'And in Rome?' },
  '/v1/messages': { max_tokens: 5, messages: [{ role: 'user', content: 'And in Rome?' }] },
}

/** Sends a request. Returns its error, and how many requests the model got. */
async function send(path: string, body: object) {
  const model = scriptedModel([reply.text('No.')])
  const handler = handlerOf(new Agent({ name: 'helper', model }))
  const response = await handler(toRequest(path, { body: { model: 'helper', ...body } }))
  const { type, error } = await response.json()
  return { status: response.status, type, error, asked: model.requests.length }
}

describe.each(Object.entries(routes))('%s', (path, body) => {
  test.each([
    ['previous_response_id', 'resp_1', 'previous_response_not_found'],
    ['thread', {}, 'thread_unsupported_request'],
    ['thread', { type: 'continue', previous_message_id: 'msg_1' }, 'thread_unsupported_request'],
    ['conversation', 'conv_1', 'invalid_request'],
    ['conversation', { id: 'conv_1' }, 'invalid_request'],
    ['container', 'container_1', 'invalid_request'],
    ['container', { id: 'container_1', skills: [] }, 'invalid_request'],
    ['prompt', { id: 'pmpt_1' }, 'invalid_request'],
    ['background', true, 'invalid_request'],
  ])('refuses %s: %j, in the form of the protocol', async (name, value, code) => {
    for (const stream of [false, true]) {
      const { status, type, error, asked } = await send(path, { ...body, stream, [name]: value })
      expect([status, asked, error.type]).toEqual([400, 0, 'invalid_request_error'])
      expect(error.message).toContain(`\`${name}\``)
      if (path !== '/v1/messages') expect(error).toMatchObject({ code, param: null })
      else if (name !== 'thread') expect([type, error.details]).toEqual(['error', undefined])
      // The official client reads these details.
      else expect([type, error.details]).toEqual(['error', { error_code: code, unsupported: ['thread'] }])
    }
  })

  test('takes a new thread, which refers to nothing', async () => {
    expect(await send(path, { ...body, thread: { type: 'create' } })).toMatchObject({ status: 200, asked: 1 })
  })

  test('takes null and false where nothing is referred to', async () => {
    const none = { previous_response_id: null, thread: null, conversation: null, container: null }
    const got = await send(path, { ...body, ...none, prompt: null, background: false, store: true })
    expect(got).toMatchObject({ status: 200, asked: 1 })
  })
})

test('a thread is refused before its other fields are read', async () => {
  const thread = { type: 'continue', previous_message_id: 'msg_1' }
  const got = await send('/v1/messages', { thread, max_tokens: 5, messages: [] })
  expect(got.error.details).toMatchObject({ error_code: 'thread_unsupported_request' })
})

test.each([
  { type: 'item_reference', id: 'msg_1' },
  { type: 'item_reference', id: 'rs_1' },
  { type: 'item_reference', id: 5 },
  { type: 'item_reference' },
  { id: 'msg_1' },
  { id: 'msg_1', type: null },
  { type: 'compaction', encrypted_content: 'x' },
  { type: 'compaction_trigger' },
])('refuses an item that is not here: %j', async (item) => {
  const got = await send('/v1/responses', { input: [item, { role: 'user', content: 'And in Rome?' }] })
  expect(got).toMatchObject({ status: 400, asked: 0, error: { type: 'invalid_request_error', param: null } })
})

test.each([
  { type: 'compaction', content: 'Ann asked for Oslo.' },
  { type: 'compaction', content: null, encrypted_content: 'x' },
  { type: 'container_upload', file_id: 'file_1' },
  { type: 'tool_result', tool_use_id: 'a', content: 'x' },
])('refuses a block of a reply that would be lost: %j', async (block) => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [block, { type: 'text', text: 'Hello.' }] },
    { role: 'user', content: 'And in Rome?' },
  ]
  expect(await send('/v1/messages', { max_tokens: 5, messages })).toMatchObject({ status: 400, asked: 0 })
})
