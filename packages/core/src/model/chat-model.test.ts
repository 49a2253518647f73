import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startScriptedServer } from '../../test/scripted-server.js'
import { type CapstanError, chatModel, type ModelRequest } from '../index.js'

const request: ModelRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
  stream: false,
  signal: new AbortController().signal,
  idempotencyKey: 'run/step0/request',
}

const failure = (asking: Promise<unknown>): Promise<CapstanError> =>
  asking.then(
    () => expect.unreachable('the request should fail'),
    (error) => error,
  )

// Other tests of this process may have set them.
beforeEach(() => {
  vi.stubEnv('OPENAI_BASE_URL', undefined)
  vi.stubEnv('OPENAI_API_KEY', undefined)
})
afterEach(() => vi.unstubAllEnvs())

test('rejects the first request without a key, with advice', async () => {
  vi.stubEnv('OPENAI_API_KEY', '')
  const error = await failure(chatModel('m').complete(request))
  expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('Set OPENAI_API_KEY') })
})

test('sends no key for an empty apiKey', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  const reply = await chatModel('m', { baseURL: server.baseURL, apiKey: '' }).complete(request)
  expect(reply.message.content).toBe('Hi.')
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
})

test('names itself as the sender over every transport; a header of the user wins', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  await using server = await startScriptedServer(Array(4).fill({ text: 'Hi.' }))
  for (const options of [
    {},
    { fetch },
    { headers: { 'User-Agent': 'mine/1' } },
    { fetch, headers: { 'USER-AGENT': 'mine/2' } },
  ])
    await chatModel('m', { ...server, ...options }).complete(request)
  expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([
    `capstan/${version}`,
    `capstan/${version}`,
    'mine/1',
    'mine/2',
  ])
})

test.each(['document', 'importScripts'])('leaves the name to a browser, which has %s', async (name) => {
  vi.stubGlobal(name, {})
  const seen: HeadersInit[] = []
  const send = async (_url: unknown, init?: RequestInit) => {
    seen.push(init?.headers ?? {})
    return Response.json({ choices: [{ message: { content: 'Hi.' } }] })
  }
  await chatModel('m', { baseURL: 'http://a.test', apiKey: '', fetch: send }).complete(request)
  vi.unstubAllGlobals()
  expect(new Headers(seen[0]).has('user-agent')).toBe(false)
})

test('reads address and key from the environment as late as possible', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  vi.stubEnv('OPENAI_BASE_URL', server.baseURL)
  const model = chatModel('m')
  vi.stubEnv('OPENAI_API_KEY', 'from-the-environment')
  await model.complete(request)
  expect(server.requests[0]?.headers.authorization).toBe('Bearer from-the-environment')
})

test('a key that is set after the model was made goes to the address that is set with it', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  const model = chatModel('m')
  expect(model.structuredOutput).toBe(true)
  vi.stubEnv('OPENAI_BASE_URL', server.baseURL)
  vi.stubEnv('OPENAI_API_KEY', 'late-key')
  await model.complete(request)
  expect(server.requests[0]?.headers.authorization).toBe('Bearer late-key')
  expect(model.structuredOutput).toBe(false)
})

test.each([false, true])(
  'hides a token in an address that the environment replaced (a request to the next: %s)',
  async (asksNext) => {
    vi.stubEnv('OPENAI_API_KEY', 'late-key')
    vi.stubEnv('OPENAI_BASE_URL', 'http://a.test/v1?x=first-token-1')
    const model = chatModel('m', {
      async fetch(url) {
        if (!String(url).includes('a.test'))
          return Response.json({ choices: [{ message: { content: 'Hi.' } }] })
        vi.stubEnv('OPENAI_BASE_URL', 'http://b.test/v1')
        if (asksNext) await model.complete(request)
        return Response.json({ error: `no: ${url}` }, { status: 400 })
      },
    })
    const error = await failure(model.complete(request))
    expect(error.message).toContain('a.test')
    expect(inspect(error)).not.toContain('first-token-1')
  },
)

test('an address that the environment makes invalid spoils no error of an earlier request', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'late-key')
  vi.stubEnv('OPENAI_BASE_URL', 'http://a.test/v1')
  const model = chatModel('m', {
    async fetch() {
      vi.stubEnv('OPENAI_BASE_URL', 'nowhere')
      return new Response('Wrong key.', { status: 401 })
    },
  })
  expect(await failure(model.complete(request))).toMatchObject({ code: 'auth', status: 401 })
})

test('adds /v1 to an address without a path and keeps parameters last', async () => {
  const urls: string[] = []
  const send = async (url: string | URL | Request) => {
    urls.push(String(url))
    return Response.json({ choices: [{ message: { content: '' } }] })
  }
  for (const path of ['', '/', '/v1/', '/openai/v2', '/v1/?api-version=2025-01-01&tenant=7']) {
    const baseURL = `http://a.test${path}`
    await chatModel('m', { baseURL, apiKey: '', fetch: send }).complete(request)
  }
  expect(urls).toEqual([
    'http://a.test/v1/chat/completions',
    'http://a.test/v1/chat/completions',
    'http://a.test/v1/chat/completions',
    'http://a.test/openai/v2/chat/completions',
    'http://a.test/v1/chat/completions?api-version=2025-01-01&tenant=7',
  ])
})

test('reports a wrong key with the server message, without the key', async () => {
  const key = 'sk-this-is-the-secret'
  const body = { error: { message: `Incorrect API key provided: ${key}.`, code: 'invalid_api_key' } }
  await using server = await startScriptedServer([{ status: 401, body }])
  const error = await failure(chatModel('m', { baseURL: server.baseURL, apiKey: key }).complete(request))
  expect(error).toMatchObject({ code: 'auth', status: 401, retryable: false })
  expect(error.message).toContain('Incorrect API key provided: [redacted].')
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key)
})

test('names an unreachable server in a retryable error', async () => {
  const free = createServer()
  await new Promise<void>((ready) => free.listen(0, '127.0.0.1', ready))
  const { port } = free.address() as AddressInfo
  await new Promise((closed) => free.close(closed))
  const model = chatModel('m', { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: '', maxRetries: 0 })
  const error = await failure(model.complete(request))
  expect(error).toMatchObject({ code: 'network', retryable: true })
  expect(error.message).toContain(
    `Cannot reach http://127.0.0.1:${port} (connect ECONNREFUSED 127.0.0.1:${port})`,
  )
})

test('rejects an aborted request with the abort reason', async () => {
  const stop = new AbortController()
  await using server = await startScriptedServer([() => stop.abort(new Error('changed my mind'))])
  const asking = chatModel('m', server).complete({ ...request, signal: stop.signal })
  await expect(asking).rejects.toThrow('changed my mind')
})

test('sends accept and idempotency-key headers', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }, { text: 'Hi.' }])
  const model = chatModel('m', { ...server, headers: { 'x-team': 'blue' } })
  await model.complete(request)
  await model.complete({ ...request, stream: true })
  const usual = {
    'content-type': 'application/json',
    'idempotency-key': 'run/step0/request',
    authorization: `Bearer ${server.apiKey}`,
    'x-team': 'blue',
  }
  expect(server.requests[0]?.headers).toMatchObject({ ...usual, accept: 'application/json' })
  expect(server.requests[1]?.headers).toMatchObject({ ...usual, accept: 'text/event-stream' })
})

test('percent-encodes an idempotency key beyond ASCII', async () => {
  await using server = await startScriptedServer([{ text: 'Hi.' }])
  await chatModel('m', server).complete({ ...request, idempotencyKey: 'Zürich \u{1f600}\ud83d/t0' })
  expect(server.requests[0]?.headers['idempotency-key']).toBe('Z%C3%BCrich %F0%9F%98%80%EF%BF%BD/t0')
})

test.each([undefined, fetch])(
  'a header that cannot be sent is named, and nothing is sent (case %#)',
  async (send) => {
    await using server = await startScriptedServer([])
    const options = { ...server, headers: { 'x-team': 'blue\nred' }, ...(send ? { fetch: send } : {}) }
    const error = await failure(chatModel('m', options).complete(request))
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false, evidence: { header: 'x-team' } })
    expect(server.requests).toEqual([])
  },
)

test('names a header without a value', async () => {
  const headers = { 'x-team': undefined } as unknown as Record<string, string>
  const error = await failure(chatModel('m', { apiKey: '', headers }).complete(request))
  expect(error).toMatchObject({ code: 'invalid_request', evidence: { header: 'x-team' } })
})

test('rejects an invalid limit at once', () => {
  for (const options of [{ timeoutMs: -1 }, { maxInFlight: 0 }, { maxRetries: Number.NaN }]) {
    expect(() => chatModel('m', options)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  }
})

test('reports a failed fetch with its cause', async () => {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND a.test'), { code: 'ENOTFOUND' })
  const send = () => Promise.reject(new TypeError('fetch failed', { cause }))
  const model = chatModel('m', { baseURL: 'http://a.test', apiKey: '', maxRetries: 0, fetch: send })
  const error = await failure(model.complete(request))
  expect(error.message).toContain('Cannot reach http://a.test (getaddrinfo ENOTFOUND a.test).')
})

test.each([undefined, fetch])(
  "a header of the user's takes the place of ours, however it is spelled (case %#)",
  async (send) => {
    await using server = await startScriptedServer([{ text: 'Hi.' }])
    const headers = { Authorization: 'Basic dXNlcjpwYXNz' }
    await chatModel('m', { ...server, headers, ...(send ? { fetch: send } : {}) }).complete(request)
    expect(server.requests[0]?.headers.authorization).toBe('Basic dXNlcjpwYXNz')
  },
)
