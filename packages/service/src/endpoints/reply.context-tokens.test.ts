import { expect, onTestFinished, test } from 'vitest'
import type { ServiceOptions } from '../service-options.js'
import { startService } from '../start-service.js'

async function start(options: ServiceOptions) {
  const service = await startService(options)
  onTestFinished(() => service.close())
  return (path: string, body?: object, headers: Record<string, string> = {}) =>
    fetch(service.baseURL + path, {
      ...(body && { method: 'POST', body: JSON.stringify({ model: 'planner', ...body }) }),
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json', ...headers },
    })
}

const long = 'word '.repeat(400)
const user = (content: string) => [{ role: 'user', content }]

test('a prompt that is longer than the window is refused, in the words and the form of each protocol', async () => {
  const ask = await start({ contextTokens: 300 })
  const asked = (path: string, body: object) =>
    ask(path, body).then(async (response) => [response.status, await response.json()])
  const fields = { type: 'invalid_request_error', code: 'context_length_exceeded' }
  expect(await asked('/chat/completions', { messages: user(long) })).toEqual([
    400,
    {
      error: {
        ...fields,
        message:
          "This model's maximum context length is 300 tokens. However, your messages resulted in 508 tokens. Please reduce the length of the messages.",
        param: 'messages',
      },
    },
  ])
  expect(await asked('/responses', { input: long })).toEqual([
    400,
    {
      error: {
        ...fields,
        message:
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
        param: 'input',
      },
    },
  ])
  expect(await asked('/messages', { messages: user(long), max_tokens: 100 })).toEqual([
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 509 tokens > 300 maximum',
      },
    },
  ])
})

test('the window is that of `usage`: a prompt that fills it is answered', async () => {
  const usual = await start({})
  const { usage } = await (await usual('/chat/completions', { messages: user(long) })).json()
  const fits = await start({ contextTokens: usage.prompt_tokens })
  expect((await fits('/chat/completions', { messages: user(long) })).status).toBe(200)
  const isShort = await start({ contextTokens: usage.prompt_tokens - 1 })
  expect((await isShort('/chat/completions', { messages: user(long), stream: true })).status).toBe(400)
})

test('a refused prompt uses no rule of a script', async () => {
  const ask = await start({ contextTokens: 300, script: [{ when: {}, answer: 'Once.', times: 1 }] })
  expect((await ask('/chat/completions', { messages: user(long) })).status).toBe(400)
  const { choices } = await (await ask('/chat/completions', { messages: user('Hi') })).json()
  expect(choices[0].message.content).toBe('Once.')
})

test('the list of models tells the window of those that chat', async () => {
  const ask = await start({ contextTokens: 300, models: ['planner', 'tts-1'] })
  const { data } = await (await ask('/models')).json()
  expect(data.map(({ id, max_model_len: length }: Record<string, unknown>) => [id, length])).toEqual([
    ['planner', 300],
    ['tts-1', undefined],
  ])
  expect(await (await ask('/models/planner')).json()).toMatchObject({ max_model_len: 300 })
})
