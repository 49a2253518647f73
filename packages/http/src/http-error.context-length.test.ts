import { reply } from '@capstan/testing'
import { expect, test } from 'vitest'
import { handlerOf, scripted, toRequest } from '../test/requests.js'

const message = { role: 'user', content: 'Hi' }
const chatError = {
  error: {
    message: 'The agent failed (context_length_exceeded).',
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    param: null,
  },
}

test.each([
  ['/v1/chat/completions', { messages: [message] }, chatError],
  ['/v1/responses', { input: 'Hi' }, chatError],
  [
    '/v1/messages',
    { messages: [message], max_tokens: 500 },
    { type: 'error', error: { type: 'invalid_request_error', message: chatError.error.message } },
  ],
] as const)('a prompt that is too long is status 400 on %s', async (path, fields, expected) => {
  const ask = (stream: boolean) => {
    const handler = handlerOf(scripted([reply.fail('context_length_exceeded')]))
    return handler(toRequest(path, { body: { model: 'helper', stream, ...fields } }))
  }
  const response = await ask(false)
  expect([response.status, await response.json()]).toEqual([400, expected])
  expect(await (await ask(true)).text()).toContain('context_length_exceeded')
})
