import { Agent, type RunEvent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { openapiTools } from '../../src/openapi.js'
import { documentOf, type Reply, startApi } from './start-api.js'

const securitySchemes = {
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  basic: { type: 'http', scheme: 'basic' },
  bearer: { $ref: '#/components/securitySchemes/token' },
  token: { type: 'http', scheme: 'Bearer' },
  oauth: { type: 'oauth2', flows: {} },
  oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://example.com' },
  other: { type: 'http', scheme: 'DPoP' },
  mutual: { type: 'mutualTLS' },
}
const secured = (paths: Readonly<Record<string, unknown>>, more: object = {}) =>
  documentOf(
    Object.fromEntries(
      Object.entries(paths).map(([id, security]) => [
        `/${id}`,
        { get: { operationId: id, ...(security === undefined ? {} : { security }) } },
      ]),
    ),
    { components: { securitySchemes }, ...more },
  )

const auth = {
  header: 'header-key',
  query: 'query&key',
  cookie: 'cookie-key',
  basic: { username: 'ada', password: 'lovelace:ü' },
  bearer: 'bearer-key',
  oauth: async () => 'oauth-key',
  oidc: () => 'oidc-key',
  other: 'other-key',
}

test('each operation gets the credentials that it asks for, and no others', async () => {
  const { origin, arrived } = await startApi()
  const document = secured(
    {
      header: [{ header: [] }],
      query: [{ query: [] }],
      cookie: [{ cookie: [] }],
      basic: [{ basic: [] }],
      bearer: [{ bearer: [] }],
      oauth: [{ oauth: ['read'] }],
      oidc: [{ oidc: [] }],
      other: [{ other: [] }],
      both: [{ header: [], query: [] }],
      either: [{ mutual: [] }, { header: [], mutual: [] }, { cookie: [] }],
      open: [],
      optional: [{}, { header: [] }],
      unknown: [{ mutual: [] }],
      byDefault: undefined,
    },
    { security: [{ bearer: [] }] },
  )
  const { tools } = openapiTools(document, { allow: '*', baseURL: origin, auth })
  const sent: Record<string, unknown> = {}
  for (const tool of tools) {
    await tool.call({})
    const { url = '', headers = {} } = arrived.at(-1) ?? {}
    sent[tool.name] = [headers.authorization, headers['x-key'], headers.cookie, url.split('?')[1]].filter(
      Boolean,
    )
  }
  expect(sent).toEqual({
    header: ['header-key'],
    query: ['api%20key=query%26key'],
    cookie: ['session=cookie-key'],
    basic: [`Basic ${Buffer.from('ada:lovelace:ü').toString('base64')}`],
    bearer: ['Bearer bearer-key'],
    oauth: ['Bearer oauth-key'],
    oidc: ['Bearer oidc-key'],
    other: ['DPoP other-key'],
    both: ['header-key', 'api%20key=query%26key'],
    either: ['session=cookie-key'],
    open: [],
    optional: ['header-key'],
    unknown: [],
    byDefault: ['Bearer bearer-key'],
  })
})

test('functions are called for each request', async () => {
  const { origin, arrived } = await startApi()
  let count = 0
  const next = async () => `key-number-${++count}`
  const [tool] = openapiTools(secured({ a: [{ header: [] }] }), {
    allow: '*',
    baseURL: origin,
    auth: { header: next },
    headers: async () => ({ 'x-time': `${count}`, 'User-Agent': 'mine' }),
  }).tools
  await tool?.call({})
  await tool?.call({})
  expect(arrived.map(({ headers }) => [headers['x-key'], headers['x-time'], headers['user-agent']])).toEqual([
    ['key-number-1', '0', 'mine'],
    ['key-number-2', '1', 'mine'],
  ])
})

test.each([
  [
    { headr: 'secret-key' },
    'invalid_request',
    'auth names "headr", but the document has no such security scheme. Its schemes: header, query, cookie, basic, bearer, token, oauth, oidc, other, mutual. Did you mean "header"?',
  ],
  [{ mutual: 'secret-key' }, 'unsupported', 'has the type "mutualTLS"'],
  [{ basic: 'ada:secret-key' }, 'invalid_request', 'is not { username, password }'],
  [
    { bearer: { username: 'secret', password: 'secret-key' } },
    'invalid_request',
    'is not a string on one line',
  ],
  [{ bearer: 'secret-key\r\nX: y' }, 'invalid_request', 'is not a string on one line'],
  [{ cookie: 'secret-key; a=b' }, 'invalid_request', 'is not a string on one line'],
  [{ header: '' }, 'invalid_request', 'is not a string on one line'],
])('auth %j is an error at once, without the value', (given, code, message) => {
  let thrown: unknown
  try {
    openapiTools(secured({ a: [] }), { allow: '*', baseURL: 'http://127.0.0.1:1', auth: given as never })
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code, message: expect.stringContaining(message) })
  expect(JSON.stringify([thrown, (thrown as Error).message])).not.toContain('secret-key')
})

test('credentials and headers go to the origin of the API alone', async () => {
  const asked: [string, Headers][] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    asked.push([String(url), new Headers(init?.headers)])
    return Response.json({})
  }
  const other = { servers: [{ url: 'https://other.example.com' }], security: [{ bearer: [] }, { query: [] }] }
  const document = documentOf(
    {
      '/own': { get: { security: [{ bearer: [], cookie: [] }] } },
      '/other': { get: other },
      '/port': { get: { ...other, servers: [{ url: 'https://api.example.com:8443' }] } },
    },
    { servers: [{ url: 'https://api.example.com' }], components: { securitySchemes } },
  )
  const { tools } = openapiTools(document, { allow: '*', fetch, auth, headers: { 'x-private': 'mine' } })
  for (const tool of tools) await tool.call({})
  expect(
    asked.map(([url, headers]) => [
      url,
      headers.get('authorization'),
      headers.get('cookie'),
      headers.get('x-private'),
    ]),
  ).toEqual([
    ['https://api.example.com/own', 'Bearer bearer-key', 'session=cookie-key', 'mine'],
    ['https://other.example.com/other', null, null, null],
    ['https://api.example.com:8443/port', null, null, null],
  ])
})

test('a refusal for want of a credential names the schemes', async () => {
  const { origin } = await startApi(() => ({ status: 401, body: '{"error":"who are you?"}' }))
  const [tool] = openapiTools(secured({ a: [{ bearer: [] }, { header: [] }] }), {
    allow: '*',
    baseURL: origin,
  }).tools
  await expect(tool?.call({})).rejects.toMatchObject({
    message: 'a: the server returned 401: {"error":"who are you?"}',
    evidence: { fix: 'Pass a credential in auth: bearer, header.' },
  })
})

const keys = ['Zk9/"pq+XÄ&7<w', 'plain-key-0123456789']

/** A key as a server may write it. */
const spellings = (key: string): Readonly<Record<string, string>> => ({
  plain: key,
  'in a text': `token ${key}.`,
  encoded: encodeURIComponent(key),
  'encoded in small letters': encodeURIComponent(key).replace(/%../g, (one) => one.toLowerCase()),
  base64: Buffer.from(key).toString('base64'),
  'base64 behind a name': Buffer.from(`me:${key}`).toString('base64'),
  'base64url behind a letter': Buffer.from(`a${key}bc`).toString('base64url'),
  hex: Buffer.from(key).toString('hex'),
  'JSON in a text': JSON.stringify({ key }),
  html: key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
})

/** What is left of a key that tells it. */
function tells(text: string, key: string): boolean {
  const decoded = [
    text,
    ...[...text.matchAll(/[\w+/=-]{8,}/g)].map(([one]) => Buffer.from(one, 'base64').toString()),
  ]
  const parts = [
    key,
    encodeURIComponent(key),
    key.slice(0, 10),
    key.slice(-10),
    Buffer.from(key).toString('hex').slice(0, 16),
  ]
  return decoded.some((one) => parts.some((part) => one.includes(part)))
}

test.each(keys)('a key that the server echoes is in no error, result, event or message: %s', async (key) => {
  const echoes: Reply[] = Object.values(spellings(key)).flatMap((text) => [
    { status: 400, body: JSON.stringify({ message: text, [text]: 1 }) },
    { status: 500, headers: { 'content-type': 'text/html' }, body: `<p>${text}</p>` },
    // At the end of what an error shows.
    {
      status: 400,
      headers: { 'content-type': 'text/plain' },
      body: `${'word '.repeat(818)}${text}${' word'.repeat(100)}`,
    },
    { status: 200, body: JSON.stringify({ deep: [{ [text]: text }], text }) },
    { status: 200, headers: { 'content-type': 'text/plain' }, body: `You sent ${text}!` },
  ])
  const { origin, arrived } = await startApi(() => echoes[arrived.length - 1])
  const security = { bearer: key, header: key, query: key, basic: { username: 'ada', password: key } }
  const given = key.includes('Ä') ? { query: key, basic: security.basic } : security
  const [tool] = openapiTools(
    secured({ a: [Object.fromEntries(Object.keys(given).map((name) => [name, []]))] }),
    {
      allow: '*',
      baseURL: origin,
      auth: given,
      untrusted: false,
    },
  ).tools
  const events: RunEvent[] = []
  const errors: unknown[] = []
  const model = scriptedModel([...echoes.map(() => reply.call('a', {})), reply.text('Done.')])
  const agent = new Agent({
    model,
    tools: tool ? [tool] : [],
    limits: { steps: 100 },
    onToolError: (error) => void errors.push(error),
  })
  const result = await agent.run('Go.', { observe: (event) => void events.push(event) })
  expect(arrived.length).toBe(echoes.length)
  expect(arrived.every(({ url }) => new URL(url, origin).searchParams.get('api key') === key)).toBe(true)
  expect(errors.length).toBe((echoes.length * 3) / 5)
  const shown = [
    ...result.state.messages.map((message) => JSON.stringify(message)),
    ...events.map((event) => JSON.stringify(event)),
    ...result.toolCalls.map((call) => JSON.stringify(call)),
    ...errors.flatMap((error) => [
      (error as Error).message,
      JSON.stringify(error),
      String((error as Error).stack),
    ]),
  ]
  expect(shown.filter((text) => tells(text, key))).toEqual([])
})

test('a key is in no error of a request that fails', async () => {
  const key = 'plain-key-0123456789'
  const [tool] = openapiTools(secured({ a: [{ query: [] }] }), {
    allow: '*',
    baseURL: 'https://api.example.com',
    auth: { query: key },
    fetch: async (url) => {
      throw new TypeError(`fetch failed for ${url}`)
    },
  }).tools
  const error = (await tool?.call({}).catch((thrown) => thrown)) as Error
  expect(error).toMatchObject({ code: 'network' })
  expect(tells(error.message, key)).toBe(false)
})
