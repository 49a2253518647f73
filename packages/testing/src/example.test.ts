import { jsonSchema } from '@capstan/core'
import { zod3 } from '@capstan/core/zod3'
import { Validator } from '@cfworker/json-schema'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as z3 from 'zod/v3'
import { toParameters } from '../../core/src/tools/to-json-schema.js'
import { validate } from '../../core/src/tools/validate.js'
import { exampleOf } from './example.js'

type Schema = Record<string, unknown>

const exampleFor = (schema: StandardSchemaV1) => exampleOf(toParameters(schema, 'a_tool'))
const holding = (a: Schema, more: Schema = {}): Schema => ({
  type: 'object',
  properties: { a },
  required: ['a'],
  ...more,
})

test.each([
  [{ type: 'object' }, {}],
  [{ type: 'object', properties: { a: { type: 'string' } } }, {}],
  [holding({ type: 'string' }), { a: 'text' }],
  [holding({ type: 'integer' }), { a: 1 }],
  [holding({ type: 'boolean' }), { a: true }],
  [holding({ type: 'null' }), { a: null }],
  [holding({}), { a: null }],
  [holding({ type: ['null', 'string'] }), { a: 'text' }],
  [holding({ type: 'array' }), { a: [] }],
  [holding({ type: 'array', items: { type: 'string' } }), { a: ['text'] }],
  [holding({ type: 'string', default: 'x' }), { a: 'x' }],
  [holding({ type: 'string', examples: ['y'], default: 'x' }), { a: 'y' }],
  [holding({ const: 7, default: 8 }), { a: 7 }],
  [holding({ enum: ['b', 'c'] }), { a: 'b' }],
  [holding({ type: 'string', examples: [], default: 'x' }), { a: 'x' }],
  [holding({ type: 'string', properties: {}, items: {} }), { a: 'text' }],
  [holding({ type: 'string', minLength: 7 }), { a: 'text te' }],
  [holding({ type: 'string', maxLength: 2 }), { a: 'te' }],
  [holding({ type: 'number', minimum: 3 }), { a: 3 }],
  [holding({ type: 'number', maximum: -5 }), { a: -5 }],
  [holding({ type: 'integer', exclusiveMinimum: 5 }), { a: 6 }],
  [holding({ type: 'integer', exclusiveMaximum: -5 }), { a: -6 }],
  [holding({ allOf: [{}] }), { a: null }],
  [holding({ allOf: [{ required: ['b'] }] }), { a: { b: null } }],
  [holding({ allOf: [{ properties: { b: {} } }] }), { a: {} }],
])('the example of %j is %j', (schema, example) => {
  expect(exampleOf(schema)).toEqual(example)
})

const scalars: readonly Schema[] = [
  { type: 'string', minLength: 7 },
  { type: 'string', minLength: 150 },
  { type: 'string', maxLength: 2 },
  { type: 'string', maxLength: 0 },
  { type: 'string', minLength: 5, maxLength: 5 },
  { type: 'string', pattern: '^[A-Z]{3}$' },
  { type: 'string', pattern: '^\\d+$' },
  { type: 'string', pattern: '^\\d{5}$' },
  { type: 'string', pattern: '^\\d{2}:\\d{2}$' },
  ...[
    'date-time',
    'date',
    'time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'url',
    'uri-reference',
    'uri-template',
    'json-pointer',
    'json-pointer-uri-fragment',
    'relative-json-pointer',
    'regex',
    'uuid',
  ].map((format) => ({ type: 'string', format })),
  { type: 'integer', minimum: 5 },
  { type: 'integer', maximum: -5 },
  { type: 'integer', exclusiveMinimum: 5 },
  { type: 'integer', exclusiveMaximum: -5 },
  { type: 'integer', minimum: 5, multipleOf: 3 },
  { type: 'integer', minimum: 2.5, maximum: 3.5 },
  { type: 'number', multipleOf: 0.1, minimum: 0.25 },
  { type: 'number', multipleOf: 0.25, exclusiveMaximum: 0 },
  { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { type: 'number', minimum: 0.2, maximum: 0.8 },
  { type: 'number', multipleOf: 7 },
  { type: 'number', not: { const: 1 }, minimum: 1, maximum: 2 },
]

test.each([
  ...scalars.map((schema) => holding(schema)),
  holding({ type: 'array', items: { type: 'string' }, minItems: 3 }),
  holding({ type: 'array', items: { type: 'string' }, maxItems: 0 }),
  holding({ type: 'array', minItems: 2 }),
  holding({ type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false }),
  holding({ items: { type: 'string' } }),
  holding({ properties: { b: { type: 'string' } }, required: ['b'] }),
  { type: 'object', required: ['unknown'] },
  { type: 'object', required: ['b'], additionalProperties: { type: 'integer', minimum: 2 } },
  { type: 'object', additionalProperties: { type: 'string' }, minProperties: 2 },
  { type: 'object', properties: { b: { type: 'string' } }, minProperties: 1, additionalProperties: false },
  holding(
    { $ref: '#/$defs/b' },
    { $defs: { b: { $ref: '#/$defs/c' }, c: { type: 'string', minLength: 6 } } },
  ),
  holding({ $ref: '#/$defs/a~1b%20c' }, { $defs: { 'a/b c': { type: 'integer' } } }),
  holding({ $ref: '#/$defs/a~0b' }, { $defs: { 'a~b': { type: 'integer' } } }),
  holding({ $ref: '#/$defs/b', minLength: 6 }, { $defs: { b: { type: 'string' } } }),
  holding({ type: 'array', items: { $ref: '#' }, maxItems: 0 }),
  holding({ anyOf: [{ type: 'string', minLength: 6 }, { type: 'null' }] }),
  holding({ type: 'string', oneOf: [{ minLength: 6 }, { maxLength: 2 }] }),
  holding({ anyOf: [{ $ref: '#/$defs/b' }] }, { $defs: { b: { const: 'x' } } }),
  holding({ allOf: [{ type: 'string' }, { minLength: 6 }] }),
  holding({
    allOf: [
      { type: 'object', properties: { b: { type: 'string' }, c: { type: 'string' } }, required: ['b'] },
      { properties: { c: { minLength: 6 } }, required: ['c'] },
    ],
  }),
  holding({ const: null }),
  holding({ enum: [null, 1] }),
  holding({ const: { deep: [1] } }),
])('an example fits its schema: %j', (schema) => {
  const { valid, errors } = new Validator(structuredClone(schema), '2020-12', false).validate(
    exampleOf(schema),
  )
  expect({ valid, errors }).toEqual({ valid: true, errors: [] })
})

interface Tree {
  name: string
  children: Tree[]
}
const tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree).max(2)) })
const place = z.object({ city: z.string().min(6) }).meta({ id: 'Place' })

test.each([
  z.object({
    a: z.email(),
    b: z.uuid(),
    c: z.iso.datetime(),
    d: z.url(),
    e: z.ipv4(),
    f: z.base64(),
    g: z.e164(),
  }),
  z.object({ a: z.int().positive(), b: z.number().gt(0).lt(1), c: z.number().multipleOf(0.05).min(0.12) }),
  z.object({ a: z.record(z.string(), z.number()), b: z.record(z.enum(['x', 'y']), z.boolean()) }),
  z.object({
    a: z.tuple([z.string(), z.int()]),
    b: z.array(z.int()).min(2),
    c: z.array(z.string()).length(0),
  }),
  z.object({ a: z.literal('x'), b: z.enum(['y', 'z']), c: z.null(), d: z.string().nullable() }),
  z.object({
    a: z.union([z.object({ n: z.int() }), z.string()]),
    b: z.intersection(z.object({ c: z.int() }), z.object({ d: z.int() })),
  }),
  z.object({ kind: z.discriminatedUnion('kind', [z.object({ kind: z.literal('x'), n: z.int() })]) }),
  z.object({ from: place, to: place }),
  z.object({ size: z.string().regex(/^[A-Z]{2}$/), trimmed: z.string().trim().min(1) }),
  zod3(
    z3.z.object({
      a: z3.z.string().email(),
      b: z3.z.array(z3.z.number().int().min(3)).min(2),
      c: z3.z.enum(['x']),
    }),
  ),
  jsonSchema(holding({ type: 'string', minLength: 9 })),
])('an example passes its schema (case %#)', async (schema) => {
  expect(await validate(schema, exampleFor(schema))).toHaveProperty('value')
})

test('a recursive schema has a small example', () => {
  expect(exampleFor(tree)).toEqual({
    name: 'text',
    children: [{ name: 'text', children: [{ name: 'text', children: [] }] }],
  })
})

const bounded = { type: 'string', minLength: 5, maxLength: 3 }

test.each([
  holding({ type: 'string', pattern: '^[QXZ]{9}$' }),
  holding({ type: 'string', pattern: '(' }),
  holding({ type: 'string', format: 'email', maxLength: 3 }),
  holding(bounded),
  holding({ type: 'integer', minimum: 2, maximum: 1 }),
  holding({ type: 'array', items: { type: 'string' }, minItems: 30 }),
  holding({ type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true }),
  holding({ $ref: '#/$defs/nope' }),
  holding({ $ref: 'https://elsewhere.test/' }),
  holding({ $ref: '#' }),
  { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
  holding({ default: 'x', enum: ['y'], examples: ['z'] }),
])('returns no example rather than a misleading one: %j', (schema) => {
  expect(exampleOf(schema)).toBeUndefined()
})

test('does not change the schema', () => {
  const schema = Object.freeze(holding(Object.freeze({ $ref: '#/$defs/b' }), { $defs: { b: {} } }))
  exampleOf(schema)
  expect(Reflect.ownKeys((schema.$defs as { b: object }).b)).toEqual([])
})
