import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, isArtifact, memoryArtifacts } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import { openapiTools } from '../../src/openapi.js'
import { documentOf, operationOf, startApi } from './start-api.js'

const pets = documentOf(
  {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List pets',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
      },
      post: {
        operationId: 'pets/create',
        description: 'Adds a pet.',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['id', 'name'],
                properties: {
                  id: { type: 'integer', readOnly: true },
                  name: { type: 'string' },
                  owner: { $ref: '#/components/schemas/Owner' },
                },
              },
            },
          },
        },
      },
    },
    '/pets/{petId}': {
      parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'string' } }],
      delete: { deprecated: true },
      head: { operationId: 'hasPet' },
    },
  },
  { components: { schemas: { Owner: { type: 'object', properties: { email: { type: 'string' } } } } } },
)

const parametersOf = (tool: { definition: { function: { parameters: unknown } } } | undefined) =>
  tool?.definition.function.parameters

test('an operation is a tool: its id, its texts, and one schema for parameters and body', () => {
  const { tools, skipped } = openapiTools(pets, { allow: '*', baseURL: 'http://127.0.0.1:1' })
  expect(skipped).toEqual([])
  expect(tools.map(({ name, definition }) => [name, definition.function.description])).toEqual([
    ['listPets', 'List pets'],
    ['pets_create', 'Adds a pet.'],
    ['delete_pets_petId', 'Deprecated. DELETE /pets/{petId}'],
    ['hasPet', 'HEAD /pets/{petId}'],
  ])
  expect(parametersOf(tools[1])).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      owner: { type: 'object', properties: { email: { type: 'string' } } },
    },
    required: ['name'],
    additionalProperties: false,
  })
  expect(
    tools.map(({ settings: { effects, untrusted, timeoutMs } }) => [effects, untrusted, timeoutMs]),
  ).toEqual([
    ['read', true, 30_000],
    [expect.any(Function), true, 30_000],
    [expect.any(Function), true, 30_000],
    ['read', true, 30_000],
  ])
})

test('calls arrive as the document describes them', async () => {
  const { origin, arrived } = await startApi()
  const { tools } = openapiTools(JSON.stringify(pets), {
    allow: '*',
    baseURL: `${origin}/v1/`,
    prefix: 'zoo',
  })
  const [list, create, remove, has] = tools
  expect(list?.name).toBe('zoo_listPets')
  expect(await list?.call({ limit: 3 })).toEqual({ ok: true })
  await create?.call({ name: 'Rex', owner: { email: 'a@b.c' } })
  await remove?.call({ petId: 'a/b ü' })
  expect(await has?.call({ petId: '7' })).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json' },
  })
  expect(arrived.map(({ method, url, body }) => [method, url, body.toString()])).toEqual([
    ['GET', '/v1/pets?limit=3', ''],
    ['POST', '/v1/pets', '{"name":"Rex","owner":{"email":"a@b.c"}}'],
    ['DELETE', '/v1/pets/a%2Fb%20%C3%BC', ''],
    ['HEAD', '/v1/pets/7', ''],
  ])
  expect(arrived[1]?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'capstan' })
})

test('an agent runs operations that write without effectKeys() of its own, one after another for each path', async () => {
  let running = 0
  let most = 0
  const { origin, arrived } = await startApi(async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((done) => setTimeout(done, 20))
    running -= 1
    return undefined
  })
  const { tools } = openapiTools(pets, { allow: ['DELETE *'], baseURL: origin, untrusted: false })
  const model = scriptedModel([
    reply.calls(
      reply.call('delete_pets_petId', { petId: '1' }),
      reply.call('delete_pets_petId', { petId: '1' }),
    ),
    reply.text('Done.'),
  ])
  const { toolCalls } = await new Agent({ model, tools }).run('Delete it.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'ok'])
  expect([most, arrived.length]).toEqual([1, 2])
})

test('an untrusted result makes calls that write wait for approval', async () => {
  const { origin } = await startApi()
  const { tools } = openapiTools(pets, { allow: '*', baseURL: origin })
  const model = scriptedModel([
    reply.call('listPets', {}),
    reply.call('listPets', {}),
    reply.call('delete_pets_petId', { petId: '1' }),
  ])
  const { pending, toolCalls } = await new Agent({ model, tools }).run('Go.')
  expect(toolCalls.map(({ name }) => name)).toEqual(['listPets', 'listPets'])
  expect(pending?.map(({ name }) => name)).toEqual(['delete_pets_petId'])
})

test('settings are made for each operation', () => {
  const { tools } = openapiTools(pets, {
    allow: '*',
    baseURL: 'http://127.0.0.1:1',
    timeoutMs: 5,
    settings: ({ id, method, path, deprecated }) =>
      id === 'listPets'
        ? { timeoutMs: 9, untrusted: false }
        : { needsApproval: deprecated && `${method} ${path}` === 'DELETE /pets/{petId}' },
  })
  expect(
    tools.map(({ settings: { timeoutMs, untrusted, needsApproval } }) => [
      timeoutMs,
      untrusted,
      needsApproval,
    ]),
  ).toEqual([
    [9, false, undefined],
    [5, true, false],
    [5, true, true],
    [5, true, false],
  ])
})

test.each([
  ['*', ['listPets', 'pets_create', 'delete_pets_petId', 'hasPet']],
  [
    ['listPets', 'pets/create'],
    ['listPets', 'pets_create'],
  ],
  [['GET *'], ['listPets']],
  [['* /pets/*'], ['delete_pets_petId', 'hasPet']],
  [
    ['HEAD /pets/{petId}', 'POST /p*s'],
    ['pets_create', 'hasPet'],
  ],
  [({ method }: { method: string }) => method === 'GET', ['listPets']],
  [() => false, []],
] as const)('allow: %j', (allow, names) => {
  const { tools } = openapiTools(pets, { allow, baseURL: 'http://127.0.0.1:1' })
  expect(tools.map(({ name }) => name)).toEqual(names)
})

test('names stay when more is allowed', () => {
  const twins = documentOf({
    '/a-b': { get: {} },
    '/a.b': { get: {} },
    '/a/{b}': { get: { operationId: 'get_a_b' } },
  })
  const namesOf = (allow: string[]) =>
    openapiTools(twins, { allow, baseURL: 'http://127.0.0.1:1' }).tools.map(({ name }) => name)
  const all = namesOf(['*'])
  expect(new Set(all).size).toBe(3)
  expect([...namesOf(['GET /a-b']), ...namesOf(['GET /a.b']), ...namesOf(['get_a_b'])]).toEqual(all)
})

const wrong = (document: unknown, options: object) => () =>
  openapiTools(document as object, { allow: '*', baseURL: 'http://127.0.0.1:1', ...options } as never)

test.each([
  ['YAML', 'openapi: 3.1.0', {}, 'invalid_request', 'parse YAML first'],
  ['not an object', null, {}, 'invalid_request', 'not an object'],
  ['a list', '[]', {}, 'invalid_request', 'not a JSON object'],
  ['2.0', { swagger: '2.0', paths: {} }, {}, 'unsupported', 'version is "2.0"'],
  ['4.0', { openapi: '4.0.0' }, {}, 'unsupported', 'version is "4.0.0"'],
  ['no version', { paths: {} }, {}, 'invalid_request', 'no "openapi" field'],
  ['no allow', pets, { allow: undefined }, 'invalid_request', 'allow is missing'],
  [
    'settings as a promise',
    pets,
    { settings: async () => ({ needsApproval: true }) },
    'invalid_tool',
    'settings returned a promise',
  ],
  ['an empty allow', pets, { allow: [] }, 'invalid_request', 'Use an array of one or more operations'],
  [
    'an unknown id',
    pets,
    { allow: ['listPet'] },
    'invalid_tool',
    '"listPet" matches no operation in the document. Did you mean "listPets"?',
  ],
  ['a pattern that overlaps', pets, { allow: ['GET /pets*pets'] }, 'invalid_tool', 'matches no operation'],
  [
    'an unknown pattern',
    pets,
    { allow: ['PUT *'] },
    'invalid_tool',
    '"PUT *" matches no operation in the document. Its operations: listPets, pets/create, DELETE /pets/{petId}, hasPet.',
  ],
  ['an unknown option', pets, { baseUrl: 'x' }, 'invalid_request', '"baseURL"'],
  ['a file', pets, { baseURL: 'file:///etc' }, 'invalid_request', 'baseURL'],
  ['a password in the address', pets, { baseURL: 'http://a:b@127.0.0.1' }, 'invalid_request', 'baseURL'],
  [
    'no address',
    pets,
    { baseURL: undefined },
    'invalid_request',
    'server "/" is not a complete URL. Pass the URL to openapiTools as baseURL.',
  ],
  [
    'a private server',
    { ...pets, servers: [{ url: 'http://localhost:8080' }] },
    { baseURL: undefined },
    'invalid_request',
    'not a public host',
  ],
  [
    'an unknown scheme',
    pets,
    { auth: { key: 'secret-key' } },
    'invalid_request',
    'but the document has no such security scheme. It defines none, so use the headers option.',
  ],
  [
    'a header with a line break',
    pets,
    { headers: { a: 'b\r\nc: d' } },
    'invalid_request',
    '"a" cannot be sent',
  ],
  ['a setting that is none', pets, { settings: () => ({ timeout: 3 }) }, 'invalid_tool', 'timeout'],
])('%s is an error at once', (_, document, options, code, text) => {
  expect(wrong(document, options)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(text) }),
  )
})

test('operations that cannot be called are skipped with the reason', () => {
  const external = { $ref: 'https://example.com/other.json#/components/schemas/Pet' }
  const { tools, skipped } = openapiTools(
    documentOf({
      '/fine': { get: { operationId: 'fine' } },
      '/schema': {
        get: { operationId: 'schema', parameters: [{ name: 'a', in: 'query', schema: external }] },
      },
      '/parameter': { get: { operationId: 'parameter', parameters: [{ $ref: './p.json' }] } },
      '/body': { post: { operationId: 'body', requestBody: { $ref: 'bodies.json#/a' } } },
      '/item': { $ref: 'paths.json' },
      '/nothing': { get: { operationId: 'nothing', parameters: [{ $ref: '#/components/parameters/none' }] } },
      '/circle': {
        get: { operationId: 'circle', parameters: [{ $ref: '#/paths/~1circle/get/parameters/0' }] },
      },
      '/in': { get: { operationId: 'in', parameters: [{ name: 'a', in: 'body' }] } },
      '/style': { get: { operationId: 'style', parameters: [{ name: 'a', in: 'query', style: 'matrix' }] } },
      '/file': { servers: [{ url: 'file:///etc' }], get: { operationId: 'file' } },
      '/private': { get: { operationId: 'private', servers: [{ url: 'http://169.254.169.254' }] } },
      '/query?a=b': { get: { operationId: 'query' } },
      '@example.com': { get: { operationId: 'slash' } },
      '/variable': { get: { operationId: 'variable', servers: [{ url: 'https://{host}.example.com' }] } },
    }),
    { allow: '*', baseURL: 'http://127.0.0.1:1' },
  )
  expect(tools.map(({ name }) => name)).toEqual(['fine'])
  expect(Object.fromEntries(skipped.map(({ name, reason }) => [name, reason]))).toEqual({
    schema: expect.stringContaining(
      '"https://example.com/other.json#/components/schemas/Pet", which is outside the document and is never fetched',
    ),
    parameter: expect.stringContaining('"./p.json", which is outside the document'),
    body: expect.stringContaining('"bodies.json#/a", which is outside the document'),
    '/item': expect.stringContaining('"paths.json", which is outside the document'),
    nothing: 'It refers to "#/components/parameters/none", which does not exist.',
    circle: 'Its references are circular.',
    in: 'Its parameter "a" is not in path, query, header or cookie.',
    style:
      'Its parameter "a" does not have one of the styles form, spaceDelimited, pipeDelimited, deepObject.',
    file: 'Its server "file:///etc" is not an http(s) URL.',
    private: expect.stringContaining('169.254.169.254 is not a public host'),
    query: 'Its path does not start with "/", or contains "?" or "#".',
    slash: 'Its path does not start with "/", or contains "?" or "#".',
    variable: 'Its server has no default for "host".',
  })
})

test('baseURL takes the place of the servers of the document, not of those of an operation', async () => {
  const api = await startApi()
  const other = await startApi()
  const document = documentOf(
    {
      '/a': { get: { operationId: 'a' } },
      '/b': {
        get: { operationId: 'b', servers: [{ url: '/other/{v}', variables: { v: { default: 'v2' } } }] },
      },
      '/c': { servers: [{ url: `${other.origin}/c` }], get: { operationId: 'c' } },
    },
    { servers: [{ url: 'https://api.example.com' }] },
  )
  const { tools, skipped } = openapiTools(document, { allow: '*', baseURL: `${api.origin}/v1` })
  for (const tool of tools) await tool.call({})
  expect(api.arrived.map(({ url }) => url)).toEqual(['/v1/a', '/other/v2/b'])
  expect(skipped.map(({ name }) => name)).toEqual(['c'])
  expect(other.arrived).toEqual([])
})

test.each([
  ['JSON', { body: '{"a":[1]}' }, { a: [1] }],
  [
    'JSON of another kind',
    { headers: { 'content-type': 'application/problem+json; charset=utf-8' }, body: '3' },
    3,
  ],
  ['text', { headers: { 'content-type': 'text/csv' }, body: 'a,b' }, 'a,b'],
  [
    'text in another charset',
    { headers: { 'content-type': 'text/plain; charset=latin1' }, body: Buffer.from('für', 'latin1') },
    'für',
  ],
  ['text without a type', { headers: {}, body: 'hello' }, 'hello'],
  ['what says it is JSON', { body: '<html>' }, '<html>'],
  ['nothing', { status: 204, headers: {} }, 'Done: the server returned 204 without content.'],
  ['an empty body', { body: '' }, 'Done: the server returned 200 without content.'],
])('a response of %s', async (_, answer, result) => {
  const { origin } = await startApi(() => answer)
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin }).tools
  expect(await tool?.call({})).toEqual(result)
})

test('JSON that is too deep is a text', async () => {
  const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const { origin } = await startApi(() => ({ body }))
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin }).tools
  expect(await tool?.call({})).toBe(body)
})

test('a binary response is an artifact', async () => {
  const bytes = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')
  const { origin } = await startApi(() => ({
    headers: { 'content-type': 'application/octet-stream' },
    body: bytes,
  }))
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin }).tools
  const artifacts = memoryArtifacts()
  const result = await tool?.call({}, { artifacts })
  expect(result).toMatchObject({ kind: 'image', mediaType: 'image/png', size: bytes.length })
  expect(isArtifact(result) && (await artifacts.stat(result.id))).toMatchObject({ size: bytes.length })
})

test('a response is read up to maxBytes, declared or streamed, compressed or not', async () => {
  const { gzipSync } = await import('node:zlib')
  const json = { 'content-type': 'application/json' }
  const answers = [
    { headers: { ...json, 'content-length': '5000' }, body: 'x'.repeat(5000) },
    { headers: { ...json, 'transfer-encoding': 'chunked' }, body: 'x'.repeat(5000) },
    { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync('x'.repeat(5_000_000)) },
    { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync('{"small":1}') },
  ]
  const { origin, arrived } = await startApi(() => answers[arrived.length - 1])
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin, maxBytes: 1000 }).tools
  for (const _ of [1, 2, 3])
    await expect(tool?.call({})).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining('larger than 1000 bytes'),
    })
  expect(await tool?.call({})).toEqual({ small: 1 })
})

test.each([200, 500])('a body that never ends is left, status %i', async (status) => {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'text/plain' })
    const write = () => {
      if (!response.destroyed) response.write('x'.repeat(5000), () => setImmediate(write))
    }
    write()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => new Promise<void>((closed) => void server.close(() => closed())))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL, maxBytes: 9000 }).tools
  await expect(tool?.call({})).rejects.toMatchObject({ code: status === 200 ? 'invalid_response' : 'api' })
})

test('an error has the status and up to 4 kB of the body', async () => {
  const { origin } = await startApi(() => ({ status: 422, body: `{"message":"${'no '.repeat(5000)}"}` }))
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin }).tools
  const error = (await tool?.call({}).catch((thrown) => thrown)) as Error
  expect(error).toMatchObject({
    code: 'api',
    status: 422,
    retryable: false,
    message: expect.stringContaining('call: the server returned 422: {"message":"no no'),
  })
  expect(error.message.length).toBeGreaterThan(4000)
  expect(error.message.length).toBeLessThan(4200)
})

test.each([
  [401, 'auth', false],
  [403, 'auth', false],
  [404, 'not_found', false],
  [409, 'api', false],
  [429, 'rate_limit', true],
  [500, 'api', true],
  [503, 'api', true],
])('status %i is an error of the code %s', async (status, code, retryable) => {
  const { origin } = await startApi(() => ({ status, headers: { 'retry-after': '7' }, body: '' }))
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin }).tools
  await expect(tool?.call({})).rejects.toMatchObject({
    code,
    status,
    retryable,
    retryAfterMs: 7000,
    message: `call: the server returned ${status} without content.`,
  })
})

test('retryTools repeats what only reads', async () => {
  const { retryTools } = await import('@capstan/core')
  const { origin, arrived } = await startApi(({ method }) =>
    arrived.filter((one) => one.method === method).length < 2 ? { status: 503 } : undefined,
  )
  const { tools } = openapiTools(pets, { allow: ['GET *', 'POST *'], baseURL: origin, untrusted: false })
  const model = scriptedModel([
    reply.calls(reply.call('listPets', {}), reply.call('pets_create', { name: 'Rex' })),
    reply.text('Done.'),
  ])
  const { toolCalls } = await new Agent({ model, tools, middleware: [retryTools({ delayMs: 0 })] }).run('Go.')
  expect(toolCalls.map(({ status }) => status)).toEqual(['ok', 'error'])
  expect(arrived.map(({ method }) => method).sort()).toEqual(['GET', 'GET', 'POST'])
})

test('a call ends at its deadline, and at the abort of its run', async () => {
  let arrive = () => {}
  const came = new Promise<void>((done) => {
    arrive = done
  })
  const { origin } = await startApi(() => new Promise<undefined>(() => arrive()))
  const [short] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin, timeoutMs: 30 }).tools
  await expect(short?.call({})).rejects.toMatchObject({ code: 'timeout' })
  const [long] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: origin }).tools
  const controller = new AbortController()
  const ended = expect(long?.call({}, { signal: controller.signal })).rejects.toThrow('enough')
  await came
  controller.abort(new Error('enough'))
  await ended
})

test('a server that is not there is a network error', async () => {
  const [tool] = openapiTools(operationOf('/a', {}), { allow: '*', baseURL: 'http://127.0.0.1:1' }).tools
  await expect(tool?.call({})).rejects.toMatchObject({
    code: 'network',
    retryable: true,
    message: expect.stringMatching(/ECONNREFUSED.*Nothing was sent\.$/),
  })
})

test('a given fetch sends the requests', async () => {
  const urls: string[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    urls.push(
      `${init?.method} ${url} ${init?.redirect} ${new Headers(init?.headers).get('content-type')} ${new TextDecoder().decode(init?.body as Uint8Array)}`,
    )
    return Response.json({ sent: true })
  }
  const { tools } = openapiTools(
    { ...pets, servers: [{ url: 'https://api.example.com/v1' }] },
    { allow: ['pets/create'], fetch },
  )
  expect(await tools[0]?.call({ name: 'Rex' })).toEqual({ sent: true })
  expect(urls).toEqual(['POST https://api.example.com/v1/pets manual application/json {"name":"Rex"}'])
})
