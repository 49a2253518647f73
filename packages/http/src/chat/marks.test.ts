import { Agent, type AssistantMessage, type ModelRequest } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { handlerOf, toRequest } from '../../test/requests.js'

/** Returns an agent whose model marks its replies as real servers do, and the requests that the model got. */
function markingAgent() {
  const inner = scriptedModel([reply.text('Hi.'), reply.text('Hi.')])
  const requests: ModelRequest[] = []
  const model = {
    ...inner,
    async complete(request: ModelRequest) {
      requests.push(request)
      const reply = await inner.complete(request)
      const message: AssistantMessage = {
        ...reply.message,
        reasoning_content: 'Hm.',
        server: 'internal:8080/v1 m',
        textForm: { form: 'hermes', text: 'internal' },
      }
      return { ...reply, message, extra: { citations: ['https://example.com'] } }
    },
  }
  return { agent: new Agent({ name: 'helper', model }), requests }
}

const textForm = { form: 'hermes', text: 'internal' }
const said = { role: 'assistant', content: 'Before.', server: 'internal:8080/v1 m', textForm }
const messages = [{ role: 'user', content: 'Hello' }, said, { role: 'user', content: 'And now?' }]

test.each([
  ['chat', '/v1/chat/completions', { model: 'helper', messages }],
  ['streamed chat', '/v1/chat/completions', { model: 'helper', messages, stream: true }],
  ['run', '/runs', { input: messages }],
  ['followed run', '/runs', { input: messages, wait: true }],
])('the mark of a server reaches no client of a %s, and none comes from it', async (_kind, path, body) => {
  const { agent, requests } = markingAgent()
  const response = await handlerOf(agent)(toRequest(path, { body }))
  const answer = await response.text()
  expect(answer).toContain('Hi.')
  expect(answer).not.toContain('internal')
  expect(requests[0]?.messages.slice(0, 3)).toEqual(messages.map(({ role, content }) => ({ role, content })))
})
