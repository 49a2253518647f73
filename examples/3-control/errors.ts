// Every error code: a program that causes it, and the error. Servers are functions here.
import {
  Agent,
  type ChatModelOptions,
  chatModel,
  hosted,
  isCapstanError,
  type RunState,
  tool,
} from '@capstan/core'
import { messagesModel } from '@capstan/core/messages'
import { reply, scriptedModel } from '@capstan/testing'
import * as z from 'zod'

const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: 21 degrees`,
})

const cancelOrder = tool({
  name: 'cancel_order',
  description: 'Cancels an order',
  parameters: z.object({ order: z.int() }),
  needsApproval: true,
  execute: ({ order }) => ({ order, cancelled: true }),
})

/** A model behind a server that answers every request alike. */
function modelBehind(answer: () => Response, options: ChatModelOptions = {}) {
  return chatModel('gpt-5-mini', {
    baseURL: 'https://api.example.com/v1',
    apiKey: 'key',
    maxRetries: 0,
    fetch: async () => answer(),
    ...options,
  })
}

const refuses = (status: number, error: object, headers = {}) =>
  modelBehind(() => Response.json({ error }, { status, headers }))

const examples = {
  async api() {
    // #region api
    const model = refuses(500, { message: 'The server had an error.' })
    await new Agent({ model }).run('Hello.')
    // #endregion
  },
  async auth() {
    // #region auth
    const model = refuses(401, { message: 'Incorrect API key provided.' })
    await new Agent({ model }).run('Hello.')
    // #endregion
  },
  async rate_limit() {
    // #region rate_limit
    const error = { message: 'Rate limit reached for requests.', code: 'rate_limit_exceeded' }
    const model = refuses(429, error, { 'retry-after': '20' })
    await new Agent({ model }).run('Hello.')
    // #endregion
  },
  async quota() {
    // #region quota
    const error = { message: 'You exceeded your current quota.', code: 'insufficient_quota' }
    await new Agent({ model: refuses(429, error) }).run('Hello.')
    // #endregion
  },
  async invalid_request() {
    // #region invalid_request
    const options = { instruction: 'Be brief.' }
    new Agent({ model: 'gpt-5-mini', ...options })
    // #endregion
  },
  async context_length_exceeded() {
    // #region context_length_exceeded
    const error = { type: 'invalid_request_error', message: 'prompt is too long: 9321 tokens > 8192 maximum' }
    const answer = async () => Response.json({ type: 'error', error }, { status: 400 })
    const model = messagesModel('claude-sonnet-5', { apiKey: 'key', fetch: answer })
    await new Agent({ model }).run('Hello.')
    // #endregion
  },
  async not_found() {
    // #region not_found
    const error = { message: 'The model "gpt-5-mimi" does not exist.', code: 'model_not_found' }
    await new Agent({ model: refuses(404, error) }).run('Hello.')
    // #endregion
  },
  async timeout() {
    // #region timeout
    const silent: typeof fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    const model = chatModel('gpt-5-mini', { apiKey: 'key', fetch: silent, timeoutMs: 50, maxRetries: 0 })
    await new Agent({ model }).run('Hello.')
    // #endregion
  },
  async network() {
    // #region network
    const model = chatModel('gpt-5-mini', { baseURL: 'http://127.0.0.1:9', apiKey: 'key', maxRetries: 0 })
    await new Agent({ model }).run('Hello.')
    // #endregion
  },
  async truncated() {
    // #region truncated
    const half = new TransformStream<string, string>()
    const writer = half.writable.getWriter()
    void writer.write('{ "choices": [{ "message": { "content": "It is su')
    setTimeout(() => writer.abort(new Error('socket hang up')), 10)
    const body = half.readable.pipeThrough(new TextEncoderStream())
    await new Agent({ model: modelBehind(() => new Response(body)) }).run('What is the weather in Oslo?')
    // #endregion
  },
  async invalid_response() {
    // #region invalid_response
    const model = modelBehind(() => new Response('<!doctype html><title>Sign in</title>'))
    await new Agent({ model }).run('Hello.')
    // #endregion
  },
  async invalid_arguments() {
    // #region invalid_arguments
    const given = JSON.parse('{ "town": "Oslo" }')
    await weather.call(given)
    // #endregion
  },
  async unknown_tool() {
    // #region unknown_tool
    new Agent({ model: 'gpt-5-mini', tools: [weather], toolChoice: 'get_wether' })
    // #endregion
  },
  async unsupported() {
    // #region unsupported
    const model = chatModel('gpt-5-mini', { apiKey: 'key' })
    await new Agent({ model, tools: [hosted({ type: 'web_search' })] }).run('What is new?')
    // #endregion
  },
  async invalid_tool() {
    // #region invalid_tool
    const parameters = z.object({ city: z.string() })
    tool({ name: 'get weather', description: 'The weather in a city', parameters, execute: () => 'sunny' })
    // #endregion
  },
  async invalid_state() {
    // #region invalid_state
    const agent = new Agent({ model: scriptedModel([reply.text('Good morning.')]) })
    const { state } = await agent.run('Hello.')
    await agent.run(state)
    // #endregion
  },
  async conflict() {
    // #region conflict
    const model = scriptedModel([reply.call('cancel_order', { order: 7 }, { id: 'call_1' })])
    const agent = new Agent({ model, tools: [cancelOrder] })
    const { state } = await agent.run('Cancel order 7.')
    const changed: RunState = JSON.parse(
      JSON.stringify(state).replaceAll('{\\"order\\":7}', '{\\"order\\":8}'),
    )
    await agent.run(changed, { decisions: { call_1: { type: 'approve' } } })
    // #endregion
  },
  async stopped() {
    // #region stopped
    const model = scriptedModel([reply.call('cancel_order', { order: 7 })])
    const result = await new Agent({ model, tools: [cancelOrder] }).run('Cancel order 7.')
    console.log(result.orThrow().text)
    // #endregion
  },
}

for (const example of Object.values(examples)) {
  const error = await example().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isCapstanError(error)) throw error
  const { code, message, name: _name, ...fields } = error
  console.log(`${code}: ${message}`)
  for (const [field, value] of Object.entries(fields)) console.log(`  ${field}: ${JSON.stringify(value)}`)
  console.log()
}
