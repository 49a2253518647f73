import { expect, test } from 'vitest'
import { startScriptedServer } from '../../test/scripted-server.js'
import { Agent, chatModel, type Middleware, without } from '../index.js'

/** Asks the model a second time, and returns the second reply. */
const twice: Middleware = {
  name: 'twice',
  async wrapModel(_call, next) {
    await next()
    return next()
  },
}

test('a middleware that asks again: the last reply counts, and the usage of both', async () => {
  await using server = await startScriptedServer([{ text: 'One.' }, { text: 'Two.' }])
  const agent = new Agent({ model: chatModel('m', server), middleware: [twice] })
  const { text, usage, messages } = await agent.run('Go.')
  expect(text).toBe('Two.')
  expect(usage.requests).toBe(2)
  expect(messages).toHaveLength(2)
})

test('a further request that would pass a limit is not sent, and what was used counts', async () => {
  await using server = await startScriptedServer([{ text: 'One.' }])
  const agent = new Agent({
    model: chatModel('m', server),
    middleware: [twice, without('final-answer')],
    limits: { tokens: 20 },
  })
  const result = await agent.run('Go. '.repeat(10))
  expect(result).toMatchObject({ stopReason: 'limit', limit: 'tokens', usage: { requests: 1 } })
  expect(server.requests).toHaveLength(1)
})
