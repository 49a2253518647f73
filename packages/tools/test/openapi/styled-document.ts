// A document with each style of parameter and each kind of body, in both versions.

type Version = '3.0' | '3.1'

const parameter = (name: string, place: string, schema: object, more: object = {}) => ({
  name,
  in: place,
  schema,
  ...more,
})
const words = { type: 'array', items: { type: 'string' }, minItems: 1 }
const numbers = { type: 'array', items: { type: 'integer' }, minItems: 1 }
const point = {
  type: 'object',
  required: ['x'],
  properties: { x: { type: 'integer' }, y: { type: 'string' } },
}
const body = (mediaType: string, schema: object, more: object = {}) => ({
  required: true,
  content: { [mediaType]: { schema, ...more } },
})

export function styledDocument(version: Version) {
  const is30 = version === '3.0'
  const nullable = (type: string) => (is30 ? { type, nullable: true } : { type: [type, 'null'] })
  const above0 = is30
    ? { type: 'number', minimum: 0, exclusiveMinimum: true }
    : { type: 'number', exclusiveMinimum: 0 }
  const bytes = is30
    ? { type: 'string', format: 'binary' }
    : { type: 'string', contentMediaType: 'image/png' }
  return {
    openapi: `${version}.0`,
    info: { title: 'Every style', version: '1' },
    paths: {
      '/search/{term}/{page}': {
        parameters: [parameter('term', 'path', { type: 'string' }, { required: true })],
        get: {
          operationId: 'search',
          parameters: [
            parameter('page', 'path', { type: 'integer', minimum: 1 }, { required: true }),
            parameter('ids', 'query', numbers),
            parameter('tags', 'query', words, { explode: false }),
            parameter('spaced', 'query', words, { style: 'spaceDelimited', explode: false }),
            parameter('piped', 'query', words, { style: 'pipeDelimited', explode: false }),
            parameter('near', 'query', { ...point, required: ['x'] }, { style: 'deepObject', explode: true }),
            parameter('fields', 'query', {
              type: 'object',
              properties: { sort: { type: 'string' }, desc: { type: 'boolean' } },
            }),
            parameter('flat', 'query', point, { explode: false }),
            parameter('reserved', 'query', { type: 'string' }, { allowReserved: true }),
            parameter('kind', 'query', { type: 'string', enum: ['cat', 'dog'] }, { required: true }),
            parameter('maybe', 'query', nullable('string')),
            parameter('filter[name]', 'query', { type: 'string' }),
            {
              name: 'where',
              in: 'query',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
            },
            parameter('X-Trace', 'header', { type: 'string' }),
            parameter('X-Numbers', 'header', numbers),
            parameter(
              'X-Point',
              'header',
              {
                type: 'object',
                properties: { x: { type: 'integer' }, y: { type: 'integer' } },
                required: ['x'],
              },
              { explode: true },
            ),
            parameter('Authorization', 'header', { type: 'string' }),
            parameter('theme', 'cookie', { type: 'string' }),
          ],
        },
      },
      '/l{label}/m{matrix}/p{point}': {
        get: {
          operationId: 'paths',
          parameters: [
            parameter('label', 'path', numbers, { required: true, style: 'label', explode: true }),
            parameter('matrix', 'path', words, { required: true, style: 'matrix' }),
            parameter('point', 'path', point, { required: true, explode: true }),
          ],
        },
      },
      '/l/{label}/m/{matrix}/x/{exploded}/s/{list}': {
        get: {
          operationId: 'morePaths',
          parameters: [
            parameter('label', 'path', words, { required: true, style: 'label' }),
            parameter('matrix', 'path', point, { required: true, style: 'matrix', explode: true }),
            parameter('exploded', 'path', words, { required: true, style: 'matrix', explode: true }),
            parameter('list', 'path', numbers, { required: true }),
          ],
        },
      },
      '/pets/{id}': {
        put: {
          operationId: 'replacePet',
          parameters: [parameter('id', 'path', { type: 'integer' }, { required: true })],
          requestBody: body('application/json', { $ref: '#/components/schemas/Pet' }),
        },
        patch: {
          operationId: 'changePet',
          parameters: [
            parameter('id', 'path', { type: 'string' }, { required: true }),
            parameter('id', 'query', { type: 'integer' }),
          ],
          requestBody: {
            content: {
              'application/merge-patch+json': {
                schema: {
                  type: 'object',
                  required: ['name'],
                  properties: { name: nullable('string'), age: above0 },
                },
              },
            },
          },
        },
      },
      '/form': {
        post: {
          operationId: 'form',
          requestBody: body(
            'application/x-www-form-urlencoded',
            {
              type: 'object',
              required: ['name'],
              properties: {
                name: { type: 'string' },
                tags: words,
                nested: {
                  type: 'object',
                  properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'integer' } } },
                },
                deep: { ...point, required: ['x'] },
                flat: words,
              },
            },
            {
              encoding: {
                deep: { style: 'deepObject', explode: true },
                flat: { style: 'form', explode: false },
              },
            },
          ),
        },
      },
      '/upload': {
        post: {
          operationId: 'upload',
          requestBody: body('multipart/form-data', {
            type: 'object',
            required: ['file', 'title'],
            properties: {
              file: bytes,
              files: { type: 'array', items: bytes, maxItems: 2 },
              title: { type: 'string' },
              count: { type: 'integer' },
              meta: { type: 'object', properties: { a: { type: 'string' }, n: { type: 'number' } } },
            },
          }),
        },
      },
      '/raw': {
        post: { operationId: 'raw', requestBody: body('application/octet-stream', is30 ? bytes : {}) },
      },
      '/note': { put: { operationId: 'note', requestBody: body('text/plain', { type: 'string' }) } },
      '/list': {
        post: {
          operationId: 'list',
          requestBody: body('application/json', {
            type: 'array',
            items: { $ref: '#/components/schemas/Tree' },
            maxItems: 2,
          }),
        },
      },
      '/choice': {
        post: {
          operationId: 'choice',
          requestBody: body('application/json', {
            oneOf: [
              {
                type: 'object',
                required: ['card'],
                properties: { card: { type: 'string', minLength: 4, maxLength: 8 } },
                additionalProperties: false,
              },
              {
                type: 'object',
                required: ['cash'],
                properties: { cash: { type: 'boolean' } },
                additionalProperties: false,
              },
            ],
          }),
        },
      },
    },
    components: {
      schemas: {
        Named: {
          type: 'object',
          required: ['id', 'name'],
          properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string', minLength: 1 } },
        },
        Pet: {
          allOf: [
            { $ref: '#/components/schemas/Named' },
            {
              type: 'object',
              properties: {
                born: { type: 'string', format: 'date' },
                nick: nullable('string'),
                weight: above0,
                size: { $ref: '#/components/schemas/Size' },
                home: {
                  type: 'object',
                  required: ['city'],
                  properties: {
                    city: { type: 'string' },
                    since: { type: 'string', format: 'date-time', readOnly: true },
                  },
                },
                secret: { type: 'string', writeOnly: true },
              },
            },
          ],
        },
        Size: { type: 'string', enum: ['small', 'large'] },
        Tree: {
          type: 'object',
          required: ['label'],
          properties: {
            label: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          },
        },
      },
    },
  }
}
