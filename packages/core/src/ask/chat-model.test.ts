import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { startScriptedServer } from '../../test/scripted-server.js'
import { type CapstanError, chatModel, type ModelRequest } from '../index.js'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'run/t0/model',
}

const failure = (asking: Promise<unknown>): Promise<CapstanError> =>
  asking.then(
    () => expect.unreachable('the request should fail'),
    (error) => error,
  )

afterEach(() => vi.unstubAllEnvs())

test('a missing key is an error at the first request, and says what to do', async () => {
  vi.stubEnv('OPENAI_API_KEY', '')
  const error = await failure(chatModel('m').complete(request))
  expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('Set OPENAI_API_KEY') })
})

test('an empty key says that none is needed, and none is sent', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  const reply = await chatModel('m', { baseURL: server.baseURL, apiKey: '' }).complete(request)
  expect(reply.message.content).toBe('Hi.')
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('address and key come from the environment, at the latest moment', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  vi.stubEnv('OPENAI_BASE_URL', server.baseURL)
  const model = chatModel('m')
  vi.stubEnv('OPENAI_API_KEY', 'from-the-environment')
  await model.complete(request)
  expect(server.requests[0]?.headers.authorization).toBe('Bearer from-the-environment')
})

test('/v1 is added to an address without a path, and kept where there is one', async () => {
  const urls: string[] = []
  const send = async (url: string | URL | Request) => {
    urls.push(String(url))
    return Response.json({ choices: [{ message: { content: '' } }] })
  }
  for (const baseURL of ['http://a.test', 'http://a.test/', 'http://a.test/v1/', 'http://a.test/openai/v2']) {
    await chatModel('m', { baseURL, apiKey: '', fetch: send }).complete(request)
  }
  expect(urls).toEqual([
    'http://a.test/v1/chat/completions',
    'http://a.test/v1/chat/completions',
    'http://a.test/v1/chat/completions',
    'http://a.test/openai/v2/chat/completions',
  ])
})

test('a wrong key is said in the words of the server, without the key', async () => {
  const key = 'sk-this-is-the-secret'
  const body = { error: { message: `Incorrect API key provided: ${key}.`, code: 'invalid_api_key' } }
  await using server = await startScriptedServer([{ status: 401, body }])
  const error = await failure(chatModel('m', { baseURL: server.baseURL, apiKey: key }).complete(request))
  expect(error).toMatchObject({ code: 'auth', status: 401, retryable: false })
  expect(error.message).toContain('Incorrect API key provided: [redacted].')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key)
})

test('a server that is not there is named, and may be asked again', async () => {
  const free = createServer()
  await new Promise<void>((ready) => free.listen(0, '127.0.0.1', ready))
  const { port } = free.address() as AddressInfo
  await new Promise((closed) => free.close(closed))
  const model = chatModel('m', { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: '' })
  const error = await failure(model.complete(request))
  expect(error).toMatchObject({ code: 'network', retryable: true })
  expect(error.message).toContain(`No answer from http://127.0.0.1:${port} (ECONNREFUSED)`)
})

test('an aborted request rejects with the reason of the abort', async () => {
  const stop = new AbortController()
  await using server = await startScriptedServer([() => stop.abort(new Error('changed my mind'))])
  const asking = chatModel('m', server).complete({ ...request, signal: stop.signal })
  await expect(asking).rejects.toThrow('changed my mind')
})
