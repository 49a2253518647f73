import { expect, test } from 'vitest'
import { scriptedModel } from '../../test/scripted-model.js'
import { type Line, startScriptedServer } from '../../test/scripted-server.js'
import { Agent, chatModel, type Middleware, type ModelSettings } from '../index.js'

const f = { temperature: 0, seed: 7, stop: ['END'] }

test('common settings are sent by their names in requests, every other one as it is', async () => {
  await using server = await startScriptedServer([{ text: 'Done.' }])
  const settings = { ...f, maxTokens: 100, topP: 0.5, reasoningEffort: 'low', user: 'u', presence_penalty: 1 }
  await new Agent({ model: chatModel('m', server), settings }).run('Go.')
  const { model: _, messages: __, ...fields } = server.requests[0]?.body ?? { model: '', messages: [] }
  expect(fields).toEqual({
    ...f,
    max_tokens: 100,
    top_p: 0.5,
    reasoning_effort: 'low',
    user: 'u',
    presence_penalty: 1,
  })
})

test('settings of a run, of a step and of a middleware replace those of the agent in either spelling', async () => {
  const model = scriptedModel(['Done.', 'Done.', 'Done.'])
  const later: Middleware = {
    name: 'later',
    beforeModel: (call) => ({ settings: { ...call.settings, topP: 0.1 } }),
  }
  const agent = new Agent({ model, settings: { max_tokens: 100, topP: 0.9 } })
  await agent.run('Go.', { settings: { maxTokens: 50, top_p: 0.8 } })
  await new Agent({
    model,
    settings: { max_tokens: 100, topP: 0.9 },
    prepareStep: () => ({ settings: { maxTokens: 10 } }),
    middleware: [later],
  }).run('Go.')
  expect(model.requests.map(({ settings }) => settings)).toEqual([
    { max_tokens: 50, top_p: 0.8 },
    { max_tokens: 10, top_p: 0.1 },
  ])
})

test.each<[ModelSettings, string]>([
  [{ maxTokens: 1, max_tokens: 1 }, 'settings.maxTokens is also set as max_tokens. Use one of them.'],
  [{ maxTokens: 1, max_completion_tokens: 1 }, 'settings.maxTokens is also set as max_completion_tokens.'],
  [{ top_p: 1, topP: 1 }, 'settings.topP is also set as top_p.'],
  [
    { reasoningEffort: 'low', reasoning_effort: 'low' },
    'settings.reasoningEffort is also set as reasoning_effort.',
  ],
])('two names of one field are an error: %j', async (settings, said) => {
  const error = expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(said) })
  const model = scriptedModel([])
  expect(() => new Agent({ model, settings })).toThrow(error)
  await expect(new Agent({ model }).run('Go.', { settings })).rejects.toThrow(error)
  await expect(new Agent({ model, prepareStep: () => ({ settings }) }).run('Go.')).rejects.toThrow(error)
  expect(model.requests).toEqual([])
})

const refusal: Line = {
  status: 400,
  body: {
    error: {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      type: 'invalid_request_error',
      param: 'max_tokens',
      code: 'unsupported_parameter',
    },
  },
}

test('a server that asks for max_completion_tokens gets it, from then on at once', async () => {
  await using server = await startScriptedServer([refusal, { text: 'One.' }, { text: 'Two.' }])
  const agent = new Agent({ model: chatModel('m', server), settings: { maxTokens: 100 } })
  expect([(await agent.run('Go.')).text, (await agent.run('Go.')).text]).toEqual(['One.', 'Two.'])
  const sent = server.requests.map(({ body }) => [body.max_tokens, body.max_completion_tokens])
  expect(sent).toEqual([
    [100, undefined],
    [undefined, 100],
    [undefined, 100],
  ])
})

test('a server that refuses both names of the length is not asked again', async () => {
  const both = { max_tokens: 100, max_completion_tokens: 100 }
  await using server = await startScriptedServer([refusal])
  const agent = new Agent({ model: chatModel('m', server), settings: both })
  await expect(agent.run('Go.')).rejects.toMatchObject({ code: 'invalid_request' })
  expect(server.requests).toHaveLength(1)
})
