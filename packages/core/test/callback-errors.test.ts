import { expect, test } from 'vitest'
import * as z from 'zod'
import { Agent, type AgentOptions, CapstanError, type ChatModel, compactHistory, tool } from '../src/index.js'
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

class Mine extends Error {}
const fails = (): never => {
  throw new Mine('not now')
}
const f = tool({ name: 'f', description: '.', parameters: z.object({}), execute: () => 1 })

test.each<[string, object]>([
  ['beforeModel of middleware "prepare-step"', { prepareStep: fails }],
  ['beforeModel of middleware "prepare-step"', { prepareStep: async () => fails() }],
  ['shouldStop of middleware "stop-when"', { stopWhen: fails }],
  ['instructions', { instructions: fails }],
  ['instructions', { instructions: async () => fails() }],
  ['onCheckpoint', { onCheckpoint: fails }],
  ['Model "own"', { model: { name: 'own', complete: async () => fails() } }],
  ...(
    [
      ...['tools', 'beforeModel', 'wrapModel', 'afterModel', 'beforeRun', 'afterReply', 'afterStep'],
      ...['shouldStop'],
    ] as const
  ).map((hook): [string, object] => [
    `${hook} of middleware "mine"`,
    { middleware: [{ name: 'mine', [hook]: fails }] },
  ]),
])('an error of %s names it, and keeps its class in the cause', async (source, options) => {
  const model = scriptedModel([[['f', {}]], 'ok'])
  const agent = new Agent({ model, tools: [f], ...(options as Partial<AgentOptions<[typeof f]>>) })
  const error = await agent.run('go').catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'api', message: `${source} failed: not now` })
  expect((error as Error).cause).toBeInstanceOf(Mine)
})

test('an error that a middleware passes on is that of the model', async () => {
  const model = { name: 'own', complete: async () => fails() }
  const agent = new Agent({ model, middleware: [{ name: 'mine', wrapModel: (_call, next) => next() }] })
  await expect(agent.run('go')).rejects.toThrow('Model "own" failed: not now')
})

test('an error with a code stays as it was thrown', async () => {
  const thrown = new CapstanError('quota', 'Enough for today.')
  const instructions = () => {
    throw thrown
  }
  await expect(new Agent({ model: scriptedModel(['ok']), instructions }).run('go')).rejects.toBe(thrown)
})
