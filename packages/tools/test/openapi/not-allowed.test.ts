// Attempts to send what the options do not allow. A call may be rejected, or arrive as the value that it is.
import { isCapstanError, memoryArtifacts } from '@capstan/core'
import { afterAll, expect, test } from 'vitest'
import { openapiTools } from '../../src/openapi.js'
import { documentOf, operationOf, startApi } from './start-api.js'

let attempts = 0
afterAll(() => expect(attempts).toBeGreaterThanOrEqual(200))

/** The code of the error of a call, or undefined if it returned. */
async function codeOf(call: Promise<unknown> | undefined): Promise<string | undefined> {
  attempts += 1
  try {
    await call
    return undefined
  } catch (error) {
    if (isCapstanError(error)) return error.code
    throw error
  }
}

const segments = [
  ...[
    '.',
    '..',
    '...',
    './',
    '../',
    '../admin',
    '..\\admin',
    '.\\',
    'a/../admin',
    'a/./b',
    'a\\..\\b',
    '/..',
    '../..',
  ],
  ...[
    '%2e',
    '%2E%2e',
    '.%2e',
    '%2e.',
    '%2e%2e/admin',
    '..%2fadmin',
    '..%5cadmin',
    '%252e%252e',
    '%252e%252e%252fadmin',
    '%25252e%25252e',
  ],
  ...[
    '',
    '/',
    '//',
    '//evil.example',
    '/admin',
    'a/b',
    'a//b',
    '\\\\evil.example',
    'admin/',
    '/../../etc/passwd',
  ],
  ...[
    '?admin=1',
    'a?b=c',
    '#',
    'a#b',
    ';admin',
    'a;b=c',
    'a&b=c',
    '%3fadmin',
    '%23',
    '%00',
    'a\0b',
    'a%00b',
    '\0',
  ],
  ...[
    'a\r\nHost: evil.example',
    'a\nX: y',
    'a\rb',
    '%0d%0aX: y',
    'a\tb',
    ' HTTP/1.1\r\n',
    '\u2028',
    '\u0085',
  ],
  ...[
    '@evil.example',
    'x@evil.example',
    ':80',
    ':@evil',
    'http://evil.example',
    'file:///etc/passwd',
    'javascript:1',
    '\u2025',
    '\uff0e\uff0e',
    '\uff0f',
    '\ud800',
  ],
]

test.each([
  ['simple', { type: 'string' }],
  ['simple', {}],
  ['label', {}],
  ['matrix', {}],
])('values of a path stay in their segment: style %s, schema %j', async (style, schema) => {
  const { origin, arrived } = await startApi()
  const parameter = { name: 'name', in: 'path', required: true, style, schema }
  const [tool] = openapiTools(operationOf('/files/{name}', { parameters: [parameter] }), {
    allow: '*',
    baseURL: `${origin}/v1`,
  }).tools
  for (const name of segments) {
    const before = arrived.length
    const code = await codeOf(tool?.call({ name }))
    if (code !== undefined) {
      expect([name, code, arrived.length]).toEqual([name, 'invalid_arguments', before])
      continue
    }
    const segment = /^\/v1\/files\/([^/?#\\]+)$/.exec(arrived.at(-1)?.url ?? '')?.[1]
    const prefix = { simple: '', label: '.', matrix: ';name=' }[style]
    const empty = style === 'matrix' && name === '' ? ';name' : undefined
    expect([name, decodeURIComponent(segment ?? 'nothing')]).toEqual([
      name,
      empty ?? prefix + name.toWellFormed(),
    ])
    expect([name, leadsUp(name)]).toEqual([name, false])
  }
  expect(arrived.length).toBeGreaterThan(10)
})

/** Whether a server that decodes a value, once or more often, would leave its segment by it. */
function leadsUp(value: string): boolean {
  let text = value
  for (let layer = 0; layer < 3; layer++) {
    if (/(^|[/\\])\.\.?([/\\]|$)/.test(text)) return true
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
  return false
}

test('two values of one segment are no way up', async () => {
  const { origin, arrived } = await startApi()
  const parameters = ['a', 'b'].map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const [tool] = openapiTools(operationOf('/x/{a}{b}/y', { parameters }), {
    allow: '*',
    baseURL: origin,
  }).tools
  for (const [a, b] of [
    ['.', '.'],
    ['', '.'],
    ['.', ''],
    ['', '..'],
  ])
    expect(await codeOf(tool?.call({ a, b }))).toBe('invalid_arguments')
  expect(arrived).toEqual([])
})

const lines = [
  'a\r\nX-Evil: 1',
  'a\nX-Evil: 1',
  'a\rX-Evil: 1',
  '\r\n\r\nGET /admin HTTP/1.1',
  'a\0b',
  '\u010a',
  '\u2028x',
  'a\u007f',
  '\u0001',
  'ä\u0100',
  '嘊嘍X-Evil: 1',
]

test('values of headers and cookies stay on their line', async () => {
  const { origin, arrived } = await startApi()
  const parameters = [
    { name: 'X-Note', in: 'header', schema: { type: 'string' } },
    { name: 'X-List', in: 'header', schema: { type: 'array', items: { type: 'string' } } },
    { name: 'note', in: 'cookie', schema: { type: 'string' } },
  ]
  const [tool] = openapiTools(operationOf('/a', { parameters }), { allow: '*', baseURL: origin }).tools
  for (const line of lines) {
    expect([line, await codeOf(tool?.call({ 'X-Note': line }))]).toEqual([line, 'invalid_arguments'])
    expect([line, await codeOf(tool?.call({ 'X-List': ['a', line] }))]).toEqual([line, 'invalid_arguments'])
  }
  expect(await codeOf(tool?.call({ 'X-List': ['a,b'] }))).toBe('invalid_arguments')
  expect(arrived).toEqual([])
  for (const note of [...lines, 'a; admin=1', 'a;b', 'a, b=c'])
    expect([note, await codeOf(tool?.call({ note }))]).toEqual([note, undefined])
  for (const { headers } of arrived) expect(headers.cookie).toMatch(/^note=[\w.~%-]*$/)
  expect(arrived.every(({ headers }) => headers['x-evil'] === undefined)).toBe(true)
})

test('headers of the connection, of credentials and of other requests are no arguments', async () => {
  const names = [
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'Authorization',
    'Cookie',
    'Proxy-Authorization',
    'Content-Type',
    'Accept-Encoding',
    'X-HTTP-Method-Override',
    'X-HTTP-Method',
    'X-Method-Override',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X-Api-Key',
    'X-Mine',
  ]
  const { origin, arrived } = await startApi()
  const parameters = names.map((name) => ({ name, in: 'header', schema: { type: 'string' } }))
  const document = operationOf(
    '/a',
    { parameters, security: [{ key: [] }] },
    { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-api-key' } } } },
  )
  const [tool] = openapiTools(document, {
    allow: '*',
    baseURL: origin,
    auth: { key: 'the-real-key' },
    headers: { 'x-mine': 'mine' },
  }).tools
  for (const name of names)
    expect([name, await codeOf(tool?.call({ [name]: 'evil.example' }))]).toEqual([name, 'invalid_arguments'])
  expect(arrived).toEqual([])
  await tool?.call({})
  expect(arrived[0]?.headers).toMatchObject({ 'x-api-key': 'the-real-key', 'x-mine': 'mine' })
})

test('values of a query are no other parameters', async () => {
  const { origin, arrived } = await startApi()
  const parameters = [
    { name: 'q', in: 'query', schema: { type: 'string' } },
    { name: 'raw', in: 'query', allowReserved: true, schema: { type: 'string' } },
    { name: 'deep', in: 'query', style: 'deepObject', schema: { type: 'object' } },
    { name: 'open', in: 'query', schema: { type: 'object' } },
    { name: 'key', in: 'query', schema: { type: 'string' } },
  ]
  const document = operationOf(
    '/a',
    { parameters, security: [{ key: [] }] },
    { components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } } },
  )
  const [tool] = openapiTools(document, { allow: '*', baseURL: origin, auth: { key: 'the-real-key' } }).tools
  const texts = [
    'a&key=evil',
    'a#b',
    'a=b',
    'a?b',
    'a;key=evil',
    '%26key%3Devil',
    'a\r\nb',
    '&',
    '#',
    '+',
    '%',
    '&&key=x#',
    '[key]=x',
    "'",
    '\ud800',
  ]
  for (const text of texts) {
    for (const name of ['q', 'raw']) {
      expect(await codeOf(tool?.call({ [name]: text }))).toBe(undefined)
      const params = new URL(arrived.at(-1)?.url ?? '', origin).searchParams
      expect([...params]).toEqual([
        [name, text.toWellFormed()],
        ['key', 'the-real-key'],
      ])
    }
    await codeOf(tool?.call({ deep: { [text]: text } }))
    const params = new URL(arrived.at(-1)?.url ?? '', origin).searchParams
    expect([...params.keys()]).toEqual([`deep[${text.toWellFormed()}]`, 'key'])
  }
  for (const open of [{ key: 'evil' }, { q: 'other' }, { a: '1', raw: 'x' }])
    expect([open, await codeOf(tool?.call({ open }))]).toEqual([open, 'invalid_arguments'])
  expect(await codeOf(tool?.call({ key: 'evil' }))).toBe('invalid_arguments')
})

const privateHosts = [
  ...[
    'localhost',
    'localhost.',
    'LOCALHOST',
    'api.localhost',
    'printer.local',
    'metadata.google.internal',
    'router.lan',
    'db',
    'nas.home.arpa',
  ],
  ...[
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...[
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[fe80::1]',
    '[fc00::1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
  ],
  ...['①②⑦.0.0.1', '127。0。0。1'],
]

test('a private address is called only where baseURL names it', async () => {
  const { origin, arrived } = await startApi()
  const { port } = new URL(origin)
  for (const host of privateHosts) {
    attempts += 2
    const url = `http://${host}:${port}`
    expect([
      host,
      () => openapiTools(documentOf({ '/a': { get: {} } }, { servers: [{ url }] }), { allow: '*' }),
    ]).toEqual([host, expect.toSatisfy((make: () => unknown) => throwsCode(make) === 'invalid_request')])
    const own = documentOf({ '/a': { servers: [{ url }], get: {} } })
    const { tools, skipped } = openapiTools(own, { allow: '*', baseURL: 'https://api.example.com' })
    expect([host, tools.length, skipped[0]?.reason]).toEqual([
      host,
      0,
      expect.stringContaining('not a public host'),
    ])
  }
  expect(arrived).toEqual([])
})

function throwsCode(make: () => unknown): string | undefined {
  try {
    make()
    return undefined
  } catch (error) {
    return isCapstanError(error) ? error.code : String(error)
  }
}

test('other schemes are no addresses', () => {
  for (const url of [
    'file:///etc/passwd',
    'ftp://example.com',
    'data:text/plain,hi',
    'javascript:1',
    'ws://example.com',
    'gopher://example.com',
    'blob:https://example.com/x',
    'http://user:pass@example.com',
    'https://example.com/?key=x',
    'https://example.com/#x',
    'unix:/var/run/docker.sock',
  ]) {
    attempts += 2
    const document = documentOf({ '/a': { get: {} } }, { servers: [{ url }] })
    expect([url, throwsCode(() => openapiTools(document, { allow: '*' }))]).toEqual([url, 'invalid_request'])
    expect([url, throwsCode(() => openapiTools(document, { allow: '*', baseURL: url }))]).toEqual([
      url,
      'invalid_request',
    ])
  }
})

test('redirects lead to no other origin', async () => {
  const victim = await startApi()
  let location = ''
  let status = 302
  const api = await startApi(() => ({ status, headers: { location } }))
  const { port } = new URL(api.origin)
  const document = documentOf(
    { '/a': { get: {}, post: {} } },
    { components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } }, security: [{ key: [] }] },
  )
  const { tools } = openapiTools(document, { allow: '*', baseURL: api.origin, auth: { key: 'the-real-key' } })
  const targets = [
    victim.origin,
    `${victim.origin}/a`,
    victim.origin.replace('http:', ''),
    `\\\\${victim.origin.slice(7)}`,
    `/\\${victim.origin.slice(7)}`,
    `http:${victim.origin.slice(5)}`,
    `https://127.0.0.1:${port}/`,
    `http://localhost:${port}/`,
    `http://[::1]:${port}/`,
    'file:///etc/passwd',
    'javascript:1',
    `http://user:pass@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}@${victim.origin.slice(7)}/`,
  ]
  for (status of [301, 302, 303, 307, 308])
    for (location of targets)
      for (const tool of tools) {
        const before = api.arrived.length
        const code = await codeOf(tool.call({}))
        expect([location, code === 'api' || code === 'unsupported', api.arrived.length - before]).toEqual([
          location,
          true,
          1,
        ])
      }
  expect(victim.arrived).toEqual([])
})

test('bodies are no larger than maxBytes, and artifacts no files', async () => {
  const { origin, arrived } = await startApi()
  const binary = { type: 'string', format: 'binary' }
  const bodies = {
    'application/json': { type: 'object', properties: { a: { type: 'string' } } },
    'multipart/form-data': {
      type: 'object',
      properties: { a: { type: 'string' }, file: binary, files: { type: 'array', items: binary } },
    },
    'application/x-www-form-urlencoded': { type: 'object', properties: { a: { type: 'string' } } },
    'text/plain': { type: 'string' },
    'application/octet-stream': binary,
  }
  const document = {
    ...documentOf(
      Object.fromEntries(
        Object.entries(bodies).map(([type, schema]) => [
          `/${type.replace(/\W/g, '_')}`,
          { post: { requestBody: { required: true, content: { [type]: { schema } } } } },
        ]),
      ),
    ),
    openapi: '3.0.3',
  }
  const { tools } = openapiTools(document, { allow: '*', baseURL: origin, maxBytes: 1000 })
  const artifacts = memoryArtifacts()
  const { id: large } = await artifacts.put(new Uint8Array(1001), {
    kind: 'file',
    mediaType: 'application/octet-stream',
  })
  const { id: half } = await artifacts.put(new Uint8Array(600), {
    kind: 'file',
    mediaType: 'application/octet-stream',
  })
  const long = 'x'.repeat(1001)
  const [json, multipart, form, text, bytes] = tools
  const call = async (tool: (typeof tools)[number] | undefined, args: Record<string, unknown>) =>
    codeOf(tool?.call(args, { artifacts }))
  const codes = [
    await call(json, { a: long }),
    await call(multipart, { a: long }),
    await call(multipart, { file: large }),
    await call(multipart, { files: [half, half] }),
    await call(form, { a: long }),
    await call(text, { body: long }),
    await call(bytes, { body: large }),
  ]
  expect(codes).toEqual(codes.map(() => 'invalid_arguments'))
  // Nothing is read that is not sent.
  const opened: string[] = []
  const watched = {
    ...artifacts,
    open: (id: string) => {
      opened.push(id)
      return artifacts.open(id)
    },
  }
  for (const args of [{ file: large }, { files: [half, half, half] }])
    expect(await codeOf(multipart?.call(args, { artifacts: watched }))).toBe('invalid_arguments')
  expect(opened).toEqual([half])
  for (const id of [
    '/etc/passwd',
    'file:///etc/passwd',
    '../x',
    'https://example.com/a.png',
    'img_aaaaaaaa',
    '',
    'data:text/plain,hi',
    '__proto__',
  ]) {
    expect([id, await call(bytes, { body: id })]).toEqual([id, 'invalid_arguments'])
    expect([id, await call(multipart, { file: id })]).toEqual([id, 'invalid_arguments'])
  }
  expect(arrived).toEqual([])
})

test('what is no argument is not sent', async () => {
  const { origin, arrived } = await startApi()
  const [tool] = openapiTools(
    operationOf('/a', { parameters: [{ name: 'a', in: 'query', schema: { type: 'integer' } }] }),
    { allow: '*', baseURL: origin },
  ).tools
  for (const args of [
    '{"url":"http://evil"}',
    '{"a":"1"}',
    '{"__proto__":{"a":1}}',
    '{"constructor":1}',
    '{"a":1,"headers":{}}',
    '{"path":"/admin"}',
    '{"method":"DELETE"}',
    '[]',
    '"x"',
    'null',
  ])
    expect([args, await codeOf(tool?.call(JSON.parse(args)))]).toEqual([args, 'invalid_arguments'])
  expect(arrived).toEqual([])
})
