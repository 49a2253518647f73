import { memoryArtifacts } from '@capstan/core'
import { expect, test } from 'vitest'
import { openapiTools } from '../../src/openapi.js'
import { operationOf, startApi } from './start-api.js'

const query = (name: string, more: object = {}) => ({
  name,
  in: 'query',
  schema: { type: 'string' },
  ...more,
})
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const json = (schema: object, more: object = {}) => ({
  requestBody: { required: true, content: { 'application/json': { schema } }, ...more },
})

function toolOf(
  operation: object,
  { path = '/a', method = 'post', baseURL = 'http://127.0.0.1:1', version = '3.1.0' } = {},
) {
  const { tools, skipped } = openapiTools(
    { ...operationOf(path, operation, { method }), openapi: version },
    { allow: '*', baseURL },
  )
  const [tool] = tools
  if (!tool) throw new Error(skipped[0]?.reason)
  const { properties, required } = tool.definition.function.parameters as {
    properties: Record<string, object>
    required: string[]
  }
  return { tool, properties, required, names: Object.keys(properties) }
}

test.each([
  ['fields of a body', json(object({ a: {}, b: {} })), ['a', 'b'], []],
  ['required ones', json(object({ a: {}, b: {} }, { required: ['b'] })), ['a', 'b'], ['b']],
  [
    'fields beside parameters',
    { parameters: [query('q', { required: true })], ...json(object({ a: {} })) },
    ['q', 'a'],
    ['q'],
  ],
  [
    'a name for two things',
    { parameters: [query('a')], ...json(object({ a: {}, b: {} })) },
    ['a', 'body'],
    ['body'],
  ],
  [
    'a parameter called body',
    { parameters: [query('body')], ...json({ type: 'array' }) },
    ['body', 'request_body'],
    ['request_body'],
  ],
  ['a field called body', json(object({ body: {} })), ['body'], []],
  ['a list', json({ type: 'array', items: {} }), ['body'], ['body']],
  [
    'an object of any fields',
    json(object({}, { additionalProperties: { type: 'string' } })),
    ['body'],
    ['body'],
  ],
  ['an object with further rules', json(object({ a: {} }, { minProperties: 1 })), ['body'], ['body']],
  ['a choice', json({ oneOf: [object({ a: {} }), object({ b: {} })] }), ['body'], ['body']],
  [
    'an object that may be null',
    json({ ...object({ a: {} }), type: ['object', 'null'] }),
    ['body'],
    ['body'],
  ],
  [
    'a composed object',
    json({ allOf: [object({ a: {} }, { required: ['a'] }), object({ b: {} })] }),
    ['a', 'b'],
    ['a'],
  ],
  ['an optional body', json(object({ a: {} }), { required: false }), ['a'], []],
  [
    'an optional body with required fields',
    json(object({ a: {} }, { required: ['a'] }), { required: false }),
    ['body'],
    [],
  ],
  [
    'names that models cannot write',
    { parameters: [query('filter[name]'), query('$top'), query('filter(name)')] },
    ['filter_name', '_top', 'query_filter_name'],
    [],
  ],
  [
    'a name that servers of models refuse',
    { parameters: [query('x'.repeat(80))] },
    [`query_${'x'.repeat(58)}`],
    [],
  ],
  ['a field that they refuse', json(object({ 'a b': {} })), ['body'], ['body']],
])('the arguments of %s', (_, operation, names, required) => {
  expect(toolOf(operation)).toMatchObject({ names, required })
})

test('parameters with one name in several places are told apart', async () => {
  const { origin, arrived } = await startApi()
  const parameters = [
    { ...query('id'), in: 'path', required: true },
    query('id'),
    { ...query('id'), in: 'header' },
  ]
  const { tool, names } = toolOf({ parameters }, { path: '/a/{id}', method: 'get', baseURL: origin })
  expect(names).toEqual(['id', 'query_id', 'header_id'])
  await tool.call({ id: '1', query_id: '2', header_id: '3' })
  expect([arrived[0]?.url, arrived[0]?.headers.id]).toEqual(['/a/1?id=2', '3'])
})

test('an operation replaces parameters of its path, and gets those that its path needs', () => {
  const document = operationOf(
    '/a/{id}/{other}',
    { parameters: [{ $ref: '#/components/parameters/Limit' }] },
    {
      components: {
        parameters: {
          Limit: query('limit', { schema: { type: 'integer' }, description: 'At most', example: 3 }),
        },
      },
    },
  )
  const item = Object(document.paths)['/a/{id}/{other}']
  item.parameters = [
    query('limit'),
    { ...query('id'), in: 'path', schema: { type: 'integer' } },
    { ...query('gone'), in: 'path' },
  ]
  const [tool] = openapiTools(document, { allow: '*', baseURL: 'http://127.0.0.1:1' }).tools
  expect(tool?.definition.function.parameters).toEqual({
    type: 'object',
    properties: {
      limit: { type: 'integer', description: 'At most', examples: [3] },
      id: { type: 'integer' },
      other: { type: 'string', minLength: 1 },
    },
    required: ['id', 'other'],
    additionalProperties: false,
  })
})

test.each([
  [
    'JSON first',
    ['text/plain', 'application/x-www-form-urlencoded', 'application/json'],
    { a: 'x' },
    'application/json',
    '{"a":"x"}',
  ],
  [
    'JSON of a kind',
    ['application/vnd.api+json; version=1'],
    { a: 'x' },
    'application/vnd.api+json; version=1',
    '{"a":"x"}',
  ],
  [
    'a form',
    ['application/xml', 'application/x-www-form-urlencoded'],
    { a: 'x y&z' },
    'application/x-www-form-urlencoded',
    'a=x%20y%26z',
  ],
  ['XML as text', ['application/xml'], { body: '<a/>' }, 'application/xml', '<a/>'],
  ['anything, by its schema', ['*/*'], { a: 'x' }, 'application/json', '{"a":"x"}'],
])('a body is sent as %s', async (_, types, args, contentType, body) => {
  const { origin, arrived } = await startApi()
  const content = Object.fromEntries(
    types.map((type) => [type, { schema: object({ a: { type: 'string' } }) }]),
  )
  const { tool } = toolOf({ requestBody: { required: true, content } }, { baseURL: origin })
  await tool.call(args)
  expect([arrived[0]?.headers['content-type'], arrived[0]?.body.toString()]).toEqual([contentType, body])
})

test('a body that nothing is given for is sent only where it is required', async () => {
  const { origin, arrived } = await startApi()
  await toolOf(json(object({ a: {} })), { baseURL: origin }).tool.call({})
  await toolOf(json(object({ a: {} }), { required: false }), { baseURL: origin }).tool.call({})
  await toolOf(json(object({ a: {} })), { baseURL: origin, method: 'get' }).tool.call({})
  expect(arrived.map(({ body, headers }) => [body.toString(), headers['content-type']])).toEqual([
    ['{}', 'application/json'],
    ['', undefined],
    ['', undefined],
  ])
})

test('binary fields are artifacts', async () => {
  const { origin, arrived } = await startApi()
  const binary = { type: 'string', format: 'binary', description: 'The photo' }
  const schema = object(
    {
      photo: binary,
      more: { type: 'array', items: binary },
      title: { type: 'string' },
      'meta"\r\n': { type: 'object' },
    },
    { required: ['photo'] },
  )
  const multipart = {
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema, encoding: { title: { contentType: 'text/markdown' } } } },
    },
  }
  const { tool, properties } = toolOf(multipart, { baseURL: origin, version: '3.0.3' })
  expect(properties.body).toMatchObject({
    properties: {
      photo: { type: 'string', description: 'Artifact id. The photo' },
      more: { type: 'array', items: { type: 'string', description: 'Artifact id.' } },
    },
  })
  const artifacts = memoryArtifacts()
  const png = Buffer.from('\x89PNG\r\n\x1a\n\xff', 'latin1')
  const { id } = await artifacts.put(png, { kind: 'image', mediaType: 'image/png' })
  const { id: text } = await artifacts.put(Buffer.from('hi'), {
    kind: 'text',
    mediaType: 'text/plain',
    origin: { name: 'no"te.txt' },
  })
  await tool.call(
    { body: { photo: id, more: [id, text], title: '# Hi', 'meta"\r\n': { a: 1 } } },
    { artifacts },
  )
  const { headers, body } = arrived[0] ?? {}
  const boundary = /boundary=(.+)$/.exec(headers?.['content-type'] ?? '')?.[1] ?? 'none'
  const part = (head: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`
  const image = (name: string) =>
    part(`name="${name}"; filename="${id}.png"\r\nContent-Type: image/png`, png.toString('latin1'))
  expect(body?.toString('latin1')).toBe(
    [
      image('photo'),
      image('more'),
      part('name="more"; filename="no%22te.txt"\r\nContent-Type: text/plain', 'hi'),
      part('name="title"\r\nContent-Type: text/markdown', '# Hi'),
      part('name="meta%22%0D%0A"\r\nContent-Type: application/json', '{"a":1}'),
      `--${boundary}--\r\n`,
    ].join(''),
  )
})

test('the body of bytes says what it is', () => {
  const requestBody = { description: 'The photo.', content: { 'image/png': {} } }
  expect(toolOf({ requestBody }).properties).toEqual({
    body: { type: 'string', description: 'Artifact id. The photo.' },
  })
})

test('a binary body is an artifact, with its own type where the document has a range', async () => {
  const { origin, arrived } = await startApi()
  const artifacts = memoryArtifacts()
  const { id } = await artifacts.put(Buffer.from('hi'), { kind: 'image', mediaType: 'image/webp' })
  for (const type of ['application/octet-stream', 'image/*'])
    await toolOf({ requestBody: { content: { [type]: {} } } }, { baseURL: origin, method: 'put' }).tool.call(
      { body: id },
      { artifacts },
    )
  expect(
    arrived.map(({ headers, body }) => [headers['content-type'], headers['content-length'], body.toString()]),
  ).toEqual([
    ['application/octet-stream', '2', 'hi'],
    ['image/webp', '2', 'hi'],
  ])
})
