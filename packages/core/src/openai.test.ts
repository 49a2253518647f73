import OpenAI, { AzureOpenAI } from 'openai'
import OpenAI7, { AzureOpenAI as AzureOpenAI7 } from 'openai7'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { startRawServer, streamHead, streamPiece } from '../test/raw-server.js'
import { startScriptedServer } from '../test/scripted-server.js'
import { Agent, type ModelRequest, tool } from './index.js'
import { openaiModel } from './openai.js'

const add = tool({
  name: 'add',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a + b,
})

const script = [{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, { text: 'Three.' }]

for (const [version, Client] of [
  ['6', OpenAI],
  ['7', OpenAI7],
] as const) {
  test(`an openai ${version} client carries a run, plain and streamed`, async () => {
    await using plain = await startScriptedServer(script)
    await using streamed = await startScriptedServer(script)
    for (const server of [plain, streamed]) {
      const agent = new Agent({ model: openaiModel(new Client(server), 'm'), tools: [add] })
      const result = server === plain ? await agent.run('1 + 2?') : await agent.stream('1 + 2?').result
      expect(result).toMatchObject({ text: 'Three.', toolCalls: [{ name: 'add', result: 3 }] })
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${server.apiKey}`)
      expect(server.requests[0]?.body).toMatchObject({
        model: 'm',
        tool_choice: 'auto',
        tools: [{ type: 'function' }],
      })
    }
  })

  test(`a call written as text runs over an openai ${version} client`, async () => {
    const text = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>'
    await using server = await startScriptedServer([{ text }, { text: 'Three.' }])
    const model = openaiModel(new Client(server), 'm', { textCalls: 'run' })
    const result = await new Agent({ model, tools: [add] }).run('1 + 2?')
    expect(result).toMatchObject({ text: 'Three.', toolCalls: [{ name: 'add', result: 3 }] })
  })

  test(`a request over an openai ${version} client names capstan as its sender, unless the client has a name`, async () => {
    await using server = await startScriptedServer(Array(5).fill({ text: 'Hi.' }))
    for (const defaultHeaders of [
      undefined,
      { 'X-Other': '1' },
      { 'User-Agent': 'mine/1' },
      [['user-agent', 'mine/2']],
      new Headers({ 'user-agent': 'mine/3' }),
    ]) {
      const options = { ...server, ...(defaultHeaders ? { defaultHeaders } : {}) }
      const client = new Client(options as typeof server)
      await new Agent({ model: openaiModel(client, 'm') }).run('Go.')
    }
    expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([
      expect.stringMatching(/^capstan\/\d+\.\d+\.\d+/),
      expect.stringMatching(/^capstan\//),
      'mine/1',
      'mine/2',
      'mine/3',
    ])
  })

  test(`an openai ${version} client's errors are read to the last word, and it does not retry`, async () => {
    const body = [{ error: { code: 429, message: 'Quota of the gateway is used up.' } }]
    await using server = await startScriptedServer([{ status: 429, body }])
    const client = new Client({ ...server, maxRetries: 5 })
    const error = await new Agent({ model: openaiModel(client, 'm', { maxRetries: 0 }) })
      .run('Go.')
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'rate_limit', status: 429, retryable: true })
    expect(error.message).toContain('Quota of the gateway is used up.')
    expect(server.requests).toHaveLength(1)
  })

  test(`an openai ${version} client's errors have their text beside a server that replaces the global Response`, async () => {
    const body = [{ error: { message: 'No such voice.' } }]
    await using server = await startScriptedServer([{ status: 400, body }])
    // As the Response of @hono/node-server is, once its body was read.
    class OtherResponse extends Response {
      override get headers(): Headers {
        return new Headers(super.headers)
      }
    }
    vi.stubGlobal('Response', OtherResponse)
    onTestFinished(() => void vi.unstubAllGlobals())
    const agent = new Agent({ model: openaiModel(new Client(server), 'm') })
    await expect(agent.run('Go.')).rejects.toThrow('No such voice.')
  })

  test(`a run over an openai ${version} client can be aborted`, async () => {
    const stop = new AbortController()
    await using server = await startScriptedServer([() => stop.abort()])
    const agent = new Agent({ model: openaiModel(new Client(server), 'm') })
    expect(await agent.run('Go.', { signal: stop.signal })).toMatchObject({ stopReason: 'aborted' })
  })
}

test('the fetch of the given client is the one that is used', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  const urls: string[] = []
  const client = new OpenAI({
    ...server,
    fetch: (url, init) => {
      urls.push(String(url))
      return fetch(url, init)
    },
  })
  await new Agent({ model: openaiModel(client, 'm') }).run('Hello.')
  expect(urls).toEqual([`${server.baseURL}/chat/completions`])
})

test.each([AzureOpenAI, AzureOpenAI7])(
  "Azure's client keeps its version and its deployment",
  async (Client) => {
    await using server = await startScriptedServer([{ text: 'Hi.' }])
    const paths: string[] = []
    const client = new Client({
      baseURL: `${server.baseURL.replace('/v1', '')}/openai`,
      apiKey: 'azure-key',
      apiVersion: '2025-01-01',
      deployment: 'ours',
      fetch: (url, init) => {
        paths.push(String(url).replace(/^http:..[^/]*/, ''))
        return fetch(url, init)
      },
    })
    await new Agent({ model: openaiModel(client, 'm') }).run('Hello.')
    expect(paths).toEqual(['/openai/deployments/ours/chat/completions?api-version=2025-01-01'])
  },
)

const asked = (signal: AbortSignal): ModelRequest => ({
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: true,
  signal,
  idempotencyKey: 'run/t0/modèl',
})

describe.each([
  ['6', OpenAI],
  ['7', OpenAI7],
] as const)('over openai %s', (_version, Client) => {
  test.each([
    ['before the answer', ''],
    [
      'in the middle of the answer',
      streamHead + streamPiece('data: {"choices":[{"delta":{"content":"Hi."}}]}\n\n'),
    ],
  ])('an abort %s rejects with its reason and closes the connection', async (_when, answer) => {
    const stop = new AbortController()
    await using server = await startRawServer((_text, socket) => {
      if (answer) socket.write(answer, () => setImmediate(() => stop.abort(new Error('enough'))))
      else stop.abort(new Error('enough'))
    })
    const client = new Client({ baseURL: server.baseURL, apiKey: 'key' })
    await expect(openaiModel(client, 'm').complete(asked(stop.signal))).rejects.toThrow('enough')
    const [socket] = server.sockets
    if (socket && !socket.closed) await new Promise((closed) => socket.once('close', closed))
  })

  test('the name of a request is sent, in ASCII', async () => {
    await using server = await startScriptedServer([{ text: 'Hi.' }])
    await openaiModel(new Client(server), 'm').complete(asked(new AbortController().signal))
    expect(server.requests[0]?.headers['idempotency-key']).toBe('run/t0/mod%C3%A8l')
  })

  test('a redirect is not followed', async () => {
    await using server = await startScriptedServer([
      (_request, response) => {
        response.writeHead(302, { location: 'https://b.test/v1/chat/completions' })
        response.end()
      },
    ])
    const asking = openaiModel(new Client(server), 'm').complete(asked(new AbortController().signal))
    await expect(asking).rejects.toMatchObject({
      code: 'invalid_request',
      status: 302,
      message: expect.stringContaining('Set baseURL to "https://b.test/v1"'),
    })
  })

  test("the client's own deadline is a timeout", async () => {
    await using server = await startRawServer(() => {})
    const client = new Client({ baseURL: server.baseURL, apiKey: 'key', timeout: 20 })
    const asking = openaiModel(client, 'm', { maxRetries: 0 }).complete(asked(new AbortController().signal))
    await expect(asking).rejects.toMatchObject({ code: 'timeout', retryable: true })
  })

  test('a client that takes no other fetch is used as it is', async () => {
    const withOptions = () => {
      throw new Error('sealed')
    }
    const line = { status: 429, body: { error: { message: 'slow down', code: 'rate_limit_exceeded' } } }
    await using server = await startScriptedServer([{ text: 'Hi.' }, line])
    const model = openaiModel(Object.assign(new Client(server), { withOptions }), 'm', { maxRetries: 0 })
    const { message } = await model.complete(asked(new AbortController().signal))
    expect(message.content).toBe('Hi.')
    await expect(model.complete(asked(new AbortController().signal))).rejects.toMatchObject({
      code: 'rate_limit',
      message: expect.stringContaining('slow down'),
    })
    expect(server.requests).toHaveLength(2)
  })
})
