import { expect, test } from 'vitest'
import type { OpenApiDocument } from './document.js'
import { SchemaReader } from './schema.js'

const documentOf = (version: OpenApiDocument['version'], schemas: object = {}): OpenApiDocument => ({
  root: { components: { schemas } },
  version,
})
const read = (
  schema: unknown,
  {
    version = '3.1',
    schemas = {},
    ...options
  }: { version?: '3.0' | '3.1'; schemas?: object; isNullable?: boolean } = {},
) => new SchemaReader(documentOf(version, schemas)).read(schema, options)
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

test.each([
  ['null is allowed', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  [
    'values stay',
    { type: 'string', enum: ['a', null], nullable: true },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [
    'a composition may be null',
    { allOf: [{ type: 'string' }], nullable: true, description: 'A' },
    { description: 'A', anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
  ],
  ['without a type it says nothing', { nullable: true }, {}],
  [
    'bounds are numbers',
    { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
    { type: 'number', exclusiveMinimum: 1, maximum: 5 },
  ],
  [
    'an example is one of examples',
    { type: 'string', example: 'Rex' },
    { type: 'string', examples: ['Rex'] },
  ],
  ['what is beside a reference does not count', { ...ref('Pet'), type: 'integer' }, { type: 'string' }],
  [
    'keywords of OpenAPI alone go',
    { type: 'string', xml: {}, discriminator: {}, externalDocs: {}, 'x-own': 1, writeOnly: true },
    { type: 'string' },
  ],
])('3.0: %s', (_, schema, expected) => {
  expect(read(schema, { version: '3.0', schemas: { Pet: { type: 'string' } } })).toEqual(expected)
})

test.each([
  ['nullable says nothing', { type: 'string', nullable: true }, { type: 'string' }],
  ['types are a list', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
  [
    'notes beside a reference count',
    { ...ref('Pet'), description: 'Mine' },
    { type: 'string', description: 'Mine' },
  ],
  [
    'rules beside a reference count',
    { ...ref('Pet'), minLength: 2 },
    { allOf: [{ type: 'string' }, { minLength: 2 }] },
  ],
  ['true and false', { properties: { a: true, b: false } }, { properties: { a: true, b: false } }],
])('3.1: %s', (_, schema, expected) => {
  expect(read(schema, { schemas: { Pet: { type: 'string' } } })).toEqual(expected)
})

test('fields that are only read go, at each level, also from required', () => {
  const pet = {
    type: 'object',
    required: ['id', 'name', 'owner'],
    properties: {
      id: { type: 'integer', readOnly: true },
      name: { type: 'string' },
      made: ref('Made'),
      owner: { type: 'object', required: ['id'], properties: { id: { readOnly: true } } },
    },
  }
  expect(read(pet, { schemas: { Made: { type: 'string', readOnly: true } } })).toEqual({
    type: 'object',
    required: ['name', 'owner'],
    properties: { name: { type: 'string' }, owner: { type: 'object', properties: {} } },
  })
})

test('a recursive schema is inlined five deep, and open below', () => {
  const tree = { type: 'object', description: 'A tree', properties: { child: ref('Tree') } }
  const nest = (levels: number): object =>
    levels === 0 ? { description: 'A tree' } : { ...tree, properties: { child: nest(levels - 1) } }
  expect(read(ref('Tree'), { schemas: { Tree: tree } })).toEqual(nest(5))
})

test('an object that contains itself ends as well', () => {
  const tree: Record<string, unknown> = { type: 'object' }
  tree.properties = { child: tree }
  expect(JSON.stringify(read(tree)).length).toBeLessThan(5000)
})

test('a schema that grows with each reference is refused', () => {
  const wide = (to: object) => ({
    properties: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, to])),
  })
  const schemas = { A: wide(ref('B')), B: wide(ref('C')), C: wide(ref('D')), D: wide(ref('A')) }
  expect(() => read(ref('A'), { schemas })).toThrow(
    'Its schema has more than 20000 parts once its references are inlined.',
  )
})

test('where null cannot be written, it goes', () => {
  const schema = { type: ['string', 'null'], enum: ['a', null] }
  expect(read(schema, { isNullable: false })).toEqual({ type: 'string', enum: ['a'] })
  expect(
    read({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, { isNullable: false }),
  ).toEqual({ type: 'array', items: { anyOf: [{ type: 'string' }] } })
  expect(schema.enum).toEqual(['a', null])
})
