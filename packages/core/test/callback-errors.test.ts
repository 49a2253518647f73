import { expect, test } from 'vitest'
import { Agent, type AgentOptions, type ChatModel, compactHistory } from '../src/index.js'
import { scriptedModel } from './scripted-model.js'

const modelOf = (message: unknown): ChatModel => ({
  name: 'own',
  complete: async () => ({ message }) as never,
})
const call = { id: 'x', type: 'function' }

test.each<[string, object, string, string]>([
  [
    'instructions of a number',
    { instructions: () => 5 },
    'invalid_request',
    'instructions returned a number. Return a string.',
  ],
  [
    'a history that is not returned',
    { middleware: [compactHistory((() => undefined) as never)] },
    'invalid_request',
    'compactHistory returned undefined. Return an array of messages.',
  ],
  [
    'a reply whose content is a number',
    { model: modelOf({ role: 'assistant', content: 5 }) },
    'invalid_response',
    'Model "own" returned no valid reply.',
  ],
  [
    'a call without a function',
    { model: modelOf({ role: 'assistant', content: null, tool_calls: [call] }) },
    'invalid_response',
    'Model "own" returned no valid reply.',
  ],
  [
    'calls that are a string',
    { model: modelOf({ role: 'assistant', content: null, tool_calls: 'x' }) },
    'invalid_response',
    'Model "own" returned no valid reply.',
  ],
])(
  'a function of the application that returns %s is named in the error',
  async (_what, options, code, text) => {
    const agent = new Agent({ model: scriptedModel(['ok']), ...options } as AgentOptions<[]>)
    await expect(agent.run('go')).rejects.toMatchObject({ code, message: expect.stringContaining(text) })
  },
)

test('the original error of a callback is the cause, with its class', async () => {
  class Mine extends Error {}
  const agent = new Agent({
    model: scriptedModel(['ok']),
    prepareStep: () => {
      throw new Mine('not now')
    },
  })
  const error = await agent.run('go').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'api', message: expect.stringContaining('not now') })
  expect((error as Error).cause).toBeInstanceOf(Mine)
})
