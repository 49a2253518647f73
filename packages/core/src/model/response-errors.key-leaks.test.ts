import { Agent as HttpAgent } from 'node:http'
import { inspect } from 'node:util'
import OpenAI, { AzureOpenAI } from 'openai'
import OpenAI7, { AzureOpenAI as AzureOpenAI7 } from 'openai7'
import { describe, expect, test, vi } from 'vitest'
import { type Line, startScriptedServer } from '../../test/scripted-server.js'
import { Agent, type ChatModel, chatModel, type ModelRequest, type RunEvent } from '../index.js'
import { openaiModel } from '../openai.js'

const key = 'sk-proj-7f3a9b2c4d5e6f708192a3b4c5d6e7f8'
const quoted = `Incorrect API key provided: ${key}. Find yours at https://example.com.`

const raw =
  (status: number, body: string, type = 'application/json'): Line =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  }

const places: [string, Line][] = [
  ['an error object', raw(401, JSON.stringify({ error: { message: quoted } }))],
  ['an error text', raw(401, JSON.stringify({ error: quoted }))],
  ['an array of errors', raw(400, JSON.stringify([{ error: { message: quoted } }]))],
  [
    'a detail',
    raw(422, JSON.stringify({ detail: [{ msg: quoted, input: { authorization: `Bearer ${key}` } }] })),
  ],
  ['a page', raw(502, `<html><title>${key}</title><body>${quoted}</body></html>`, 'text/html')],
  ['plain text', raw(500, quoted, 'text/plain')],
  ['text that is cut in the middle of it', raw(500, `${'x'.repeat(280)}${key}`, 'text/plain')],
  ['an error with status 200', raw(200, JSON.stringify({ error: { message: quoted, code: 401 } }))],
  ['a page with status 200', raw(200, `<!doctype html><p>${quoted}`, 'text/html')],
  [
    'an error in a choice',
    raw(200, JSON.stringify({ choices: [{ error: { message: quoted, code: 502 } }] })),
  ],
  ['an event that is none', raw(200, `data: {"choices":[{"delta":${quoted}\n\n`, 'text/event-stream')],
  ['an error event', raw(200, `event: error\ndata: {"error":"${quoted}"}\n\n`, 'text/event-stream')],
  [
    'the code of an error',
    raw(429, JSON.stringify({ error: { message: 'slow down', code: key, type: key } })),
  ],
]

test.each(places)(
  'a key that a server repeats in %s is in no error, event or log',
  async (_place, line) => {
    const logged: unknown[] = []
    const spies = (['log', 'warn', 'error', 'info', 'debug'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation((...words) => void logged.push(words)),
    )
    await using server = await startScriptedServer([line, line])
    const events: RunEvent[] = []
    const model = chatModel('m', {
      baseURL: server.baseURL,
      apiKey: key,
      maxRetries: 1,
      headers: { 'x-api-key': key },
    })
    const agent = new Agent({ model, observe: (event) => events.push(event) })
    const error = await agent.stream('Go.').result.catch((thrown) => thrown)
    for (const spy of spies) spy.mockRestore()
    const told = inspect([error, error.message, error.stack, error.state, events, logged], {
      depth: 20,
      showHidden: true,
    })
    expect(error.code).toBeTruthy()
    expect(told).not.toContain(key)
    expect(told).not.toContain(key.slice(0, 16))
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
  },
  20_000,
)

/** What a request fails with, as text: all that anybody could print of it. */
async function failure(model: ChatModel): Promise<{ error: Error & { code?: string }; told: string }> {
  const request: ModelRequest = {
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [],
    stream: true,
    signal: new AbortController().signal,
    idempotencyKey: 'run/step0/request',
    retries: false,
  }
  const error = await model.complete(request).then(
    () => expect.unreachable('the request should fail'),
    (thrown) => thrown,
  )
  const told = [
    inspect(error, { depth: 20, showHidden: true }),
    error.stack,
    JSON.stringify(error),
    String(error),
  ]
  return { error, told: told.join('\n') }
}

const adding: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('x-api-key', key)
  return fetch(input, { ...init, headers })
}
const sealed = <Client extends object>(client: Client): Client =>
  Object.assign(client, {
    withOptions: () => {
      throw new Error('sealed')
    },
  })
const azure = (baseURL: string) => ({ baseURL, apiVersion: '2025-01-01', maxRetries: 5 })
const ways: Record<string, (baseURL: string) => ChatModel> = {
  'chatModel, apiKey': (baseURL) => chatModel('m', { baseURL, apiKey: key }),
  'chatModel over fetch, apiKey': (baseURL) => chatModel('m', { baseURL, apiKey: key, fetch }),
  'chatModel, a header': (baseURL) => chatModel('m', { baseURL, apiKey: '', headers: { 'X-Jwt': key } }),
  'chatModel, a parameter': (baseURL) => chatModel('m', { baseURL: `${baseURL}?sub=${key}`, apiKey: '' }),
  'chatModel, the path': (baseURL) =>
    chatModel('m', { baseURL: baseURL.replace('/v1', `/${key}/v1`), apiKey: '' }),
}
for (const [version, Client, Azure] of [
  ['6', OpenAI, AzureOpenAI],
  ['7', OpenAI7, AzureOpenAI7],
] as const) {
  const own = 'another-key-of-no-use'
  Object.assign(ways, {
    [`openai ${version}, apiKey`]: (baseURL: string) =>
      openaiModel(new Client({ baseURL, apiKey: key }), 'm'),
    [`openai ${version}, apiKey as a function`]: (baseURL: string) =>
      openaiModel(new Client({ baseURL, apiKey: async () => key }), 'm'),
    [`openai ${version}, defaultHeaders`]: (baseURL: string) =>
      openaiModel(new Client({ baseURL, apiKey: own, defaultHeaders: { 'x-gateway-key': key } }), 'm'),
    [`openai ${version}, defaultQuery`]: (baseURL: string) =>
      openaiModel(new Client({ baseURL, apiKey: own, defaultQuery: { api_key: key } }), 'm'),
    [`openai ${version}, any header`]: (baseURL: string) =>
      openaiModel(new Client({ baseURL, apiKey: own, defaultHeaders: { 'x-jwt': key } }), 'm'),
    [`openai ${version}, any parameter`]: (baseURL: string) =>
      openaiModel(new Client({ baseURL, apiKey: own, defaultQuery: { code: key } }), 'm'),
    [`openai ${version}, headers of fetchOptions`]: (baseURL: string) =>
      openaiModel(
        new Client({ baseURL, apiKey: own, fetchOptions: { headers: { 'x-pat': key } } as object }),
        'm',
      ),
    [`openai ${version}, a fetch that adds it`]: (baseURL: string) =>
      openaiModel(new Client({ baseURL, apiKey: own, fetch: adding }), 'm'),
    [`openai ${version} that takes no other fetch, apiKey`]: (baseURL: string) =>
      openaiModel(sealed(new Client({ baseURL, apiKey: key })), 'm', { maxRetries: 0 }),
    [`openai ${version} that takes no other fetch, defaultHeaders`]: (baseURL: string) =>
      openaiModel(sealed(new Client({ baseURL, apiKey: own, defaultHeaders: { 'x-jwt': key } })), 'm'),
    [`openai ${version}, Azure, apiKey`]: (baseURL: string) =>
      openaiModel(new Azure({ ...azure(baseURL), apiKey: key }), 'm'),
    [`openai ${version}, Azure, token provider`]: (baseURL: string) =>
      openaiModel(new Azure({ ...azure(baseURL), azureADTokenProvider: async () => key }), 'm'),
  })
}

test.each(Object.entries(ways))('a key that the server repeats is in no error: %s', async (_way, modelAt) => {
  const answers = [
    raw(401, JSON.stringify({ error: { message: quoted, code: key } })),
    raw(200, `event: error\ndata: {"error":"${quoted}"}\n\n`, 'text/event-stream'),
    raw(500, `<title>${key}</title>`, 'text/html'),
  ]
  await using server = await startScriptedServer(answers)
  const model = modelAt(server.baseURL)
  for (const code of ['auth', 'api', 'api']) {
    const { error, told } = await failure(model)
    expect(error.code).toBe(code)
    expect(told).toContain('[redacted]')
    expect(told).not.toContain(key.slice(0, 16))
  }
})

test.each<[string, object]>([
  ['in its message', new Error(`cannot send ${key}`)],
  [
    'in its request',
    Object.assign(new Error('no'), {
      request: new Request('http://a.test', { headers: { 'x-api-key': key } }),
    }),
  ],
  [
    'in its headers',
    Object.assign(new Error('no'), { headers: new Headers({ authorization: `Bearer ${key}` }) }),
  ],
  [
    'in its cause',
    new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { config: { key } }) }),
  ],
  ['in one of its errors', new AggregateError([new Error(key)], 'all failed')],
])('a fetch that throws the key %s gives it to nobody', async (_where, thrown) => {
  const send = () => Promise.reject(thrown)
  const baseURL = 'http://127.0.0.1:9/v1'
  const models = [
    chatModel('m', { baseURL, apiKey: key, fetch: send }),
    openaiModel(new OpenAI({ baseURL, apiKey: async () => key, fetch: send }), 'm'),
    openaiModel(new OpenAI7({ baseURL, apiKey: key, fetch: send }), 'm'),
  ]
  for (const model of models) {
    const { error, told } = await failure(model)
    expect(error.code).toBe('network')
    expect(told).not.toContain(key.slice(0, 16))
  }
})

test.each([
  [
    'chatModel',
    (apiKey: string) => chatModel('m', { baseURL: 'http://127.0.0.1:9/v1', apiKey }),
    'invalid_request',
  ],
  ['openai 6', (apiKey: string) => openaiModel(new OpenAI({ apiKey: async () => apiKey }), 'm'), 'network'],
  ['openai 7', (apiKey: string) => openaiModel(new OpenAI7({ apiKey: async () => apiKey }), 'm'), 'network'],
])('a key that cannot be sent, for a line break in it, is not repeated: %s', async (_way, modelFor, code) => {
  const { error, told } = await failure(modelFor(`${key}\n${key}`))
  expect(error.code).toBe(code)
  expect(told).not.toContain(key.slice(0, 16))
})

test('a key that was pasted as baseURL is shown by four characters', () => {
  expect(() => chatModel('m', { baseURL: key })).toThrow('baseURL "sk-p..." is not an http(s) URL.')
})

test.each([
  ['chatModel', (baseURL: string) => chatModel('m', { baseURL })],
  ['openai 6', (baseURL: string) => openaiModel(new OpenAI({ baseURL, apiKey: key }), 'm')],
  ['openai 7', (baseURL: string) => openaiModel(new OpenAI7({ baseURL, apiKey: key }), 'm')],
])('a baseURL with a password is refused, and the password not repeated: %s', (_way, modelAt) => {
  let told = ''
  try {
    modelAt('https://somebody:hunter2-password@api.test/v1')
  } catch (error) {
    told = inspect(error, { depth: 20, showHidden: true })
  }
  expect(told).toContain('invalid_request')
  expect(told).toContain('authorization: "Basic ..."')
  expect(told).not.toMatch(/hunter2|somebody/)
})

test.each([
  ['chatModel', (baseURL: string) => chatModel('m', { baseURL, apiKey: '' })],
  ['openai 6', (baseURL: string) => openaiModel(new OpenAI({ baseURL, apiKey: 'of-no-use' }), 'm')],
  ['openai 7', (baseURL: string) => openaiModel(new OpenAI7({ baseURL, apiKey: 'of-no-use' }), 'm')],
])('no error tells the parameters of an address, nor a token in its path: %s', async (_way, modelAt) => {
  const parameter = await failure(modelAt('http://127.0.0.1:9/v1?sig=a-b-c-d'))
  expect(parameter.told).not.toContain('sig')
  const path = await failure(modelAt(`http://127.0.0.1:9/${key}/v1`))
  expect(path.told).not.toContain(key.slice(0, 16))
  for (const { error } of [parameter, path]) expect(error.code).toBe('network')
})

test.each([undefined, fetch])(
  'the name of a header that holds the key is not told (case %#)',
  async (send) => {
    const options = { apiKey: '', headers: { [`Authorization: Bearer ${key}`]: '' } }
    const model = chatModel('m', {
      baseURL: 'http://127.0.0.1:9/v1',
      ...options,
      ...(send && { fetch: send }),
    })
    const { error, told } = await failure(model)
    expect(error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('header name'),
    })
    expect(told.toLowerCase()).not.toContain(key.slice(0, 16))
  },
)

describe.each([
  ['6', OpenAI],
  ['7', OpenAI7],
] as const)('a function of an openai %s client', (_version, Client) => {
  test.each([
    ['an error', new RangeError(`the vault said ${key}`), 'RangeError'],
    ['an error of the client', new OpenAI.OpenAIError(`the vault said ${key}`), 'OpenAIError'],
    ['an error of the other client', new OpenAI7.OpenAIError(`the vault said ${key}`), 'OpenAIError'],
    ['an object', { token: key }, 'Object'],
  ])('that throws its key in %s says only that it failed', async (_what, thrown, name) => {
    const client = new Client({ baseURL: 'http://127.0.0.1:9/v1', apiKey: () => Promise.reject(thrown) })
    const { error, told } = await failure(openaiModel(client, 'm'))
    expect(error).toMatchObject({
      code: 'auth',
      message: expect.stringContaining(`apiKey function of the client failed (${name})`),
    })
    expect(told).not.toContain(key.slice(0, 16))
  })
})

test('a proxy that repeats its password is not quoted, whichever way the agent keeps it', async () => {
  const password = 'hunter2-proxy-pass'
  const login = `bob:${password}`
  await using server = await startScriptedServer([
    raw(407, `denied ${btoa(login)} = ${login}`, 'text/plain'),
    raw(407, `denied ${btoa(login)} = ${login}`, 'text/plain'),
    raw(407, `denied ${btoa(login)} = ${login}`, 'text/plain'),
  ])
  for (const kept of [
    { proxy: new URL(`http://bob:${password}@127.0.0.1:1`) },
    { proxyOptions: { host: 'a.test', proxyAuth: login } },
    { proxy: { userId: 'bob', password } },
  ]) {
    const agent = Object.assign(new HttpAgent(), kept)
    const { error, told } = await failure(chatModel('m', { baseURL: server.baseURL, apiKey: '', agent }))
    expect(error.message).toContain('[redacted]')
    expect(told).not.toContain(password)
    expect(told).not.toContain(btoa(login))
    agent.destroy()
  }
})
