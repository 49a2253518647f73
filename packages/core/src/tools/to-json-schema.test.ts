import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod/v3'
import { zod3 } from '../zod3.js'
import { jsonSchema } from './json-schema.js'
import { toParameters } from './to-json-schema.js'

const shown = (schema: StandardSchemaV1) => toParameters(zod3(schema), 'a_tool')

test('always has type, properties and required, and never $schema', () => {
  const empty = { type: 'object', properties: {}, required: [] }
  expect(shown(z.object({}))).toEqual(empty)
  expect(shown(mini.object({}))).toEqual(empty)
  expect(shown(z3.z.object({}))).toEqual({ ...empty, additionalProperties: false })
  expect(shown(jsonSchema({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }))).toEqual(
    empty,
  )
})

test.each([
  ['zod 4', z.object({ city: z.string().describe('In English'), days: z.number().default(1) })],
  ['zod 3', z3.z.object({ city: z3.z.string().describe('In English'), days: z3.z.number().default(1) })],
  [
    'zod mini',
    mini.object({
      city: mini.string().check(mini.describe('In English')),
      days: mini._default(mini.number(), 1),
    }),
  ],
])('%s: omits optional fields from required, and keeps descriptions', (_zod, schema) => {
  expect(shown(schema)).toMatchObject({
    properties: { city: { type: 'string', description: 'In English' }, days: { type: 'number', default: 1 } },
    required: ['city'],
  })
})

test('shows the input of a schema, not its output', () => {
  const nested = { n: { type: 'string' }, d: { type: 'string', format: 'date-time' }, p: { type: 'string' } }
  const four = z.object({
    n: z.string().transform(Number).pipe(z.number()),
    d: z.coerce.date(),
    p: z.preprocess((given) => given, z.string()),
  })
  const three = z3.z.object({
    n: z3.z.string().transform(Number).pipe(z3.z.number()),
    d: z3.z.coerce.date(),
    p: z3.z.preprocess((given) => given, z3.z.string()),
  })
  expect(shown(four).properties).toEqual(nested)
  expect(shown(three).properties).toEqual(nested)
  expect(shown(z.object({ big: z.coerce.bigint() })).properties).toEqual({ big: { type: 'integer' } })
})

test('zod3() keeps the methods of a schema, and returns other schemas unchanged', async () => {
  const schema = z3.z.object({ n: z3.z.number().default(1) })
  const wrapped = zod3(zod3(schema))
  expect(wrapped.parse({})).toEqual({ n: 1 })
  expect(await wrapped['~standard'].validate({ n: 'x' })).toHaveProperty('issues')
  expect(shown(wrapped.extend({ a: z3.z.string() })).required).toEqual(['a'])
  expect(schema['~standard']).not.toHaveProperty('jsonSchema')
  for (const other of [z.object({}), mini.object({}), jsonSchema({})])
    expect(zod3<StandardSchemaV1>(other)).toBe(other)
})

test('shows z.any() as an empty schema', () => {
  expect(shown(z.object({ a: z.any(), b: z.unknown() })).properties).toEqual({ a: {}, b: {} })
  expect(shown(z3.z.object({ a: z3.z.any(), b: z3.z.unknown() })).properties).toEqual({ a: {}, b: {} })
})

test('keeps the pattern of a format that only zod knows', () => {
  const schema = z.object({ lamp: z.string().startsWith('lamp-'), hash: z.hash('md5') })
  const { lamp, hash } = shown(schema).properties as Record<string, { pattern?: string }>
  expect(lamp?.pattern).toBe('^lamp-.*')
  expect(hash?.pattern).toContain('32')
})

test('removes the pattern of a known format, and keeps a custom one', () => {
  const { properties } = shown(
    z.object({
      mail: z.email(),
      when: z.iso.datetime(),
      code: z.string().regex(/^[A-Z]{3}$/),
      count: z.int().min(1),
      whole: z.int(),
      few: z.int().max(5),
    }),
  )
  expect(properties).toEqual({
    mail: { type: 'string', format: 'email' },
    when: { type: 'string', format: 'date-time' },
    code: { type: 'string', pattern: '^[A-Z]{3}$' },
    count: { type: 'integer', minimum: 1 },
    whole: { type: 'integer' },
    few: { type: 'integer', maximum: 5 },
  })
})

const keywords = [
  'pattern',
  'minimum',
  'maximum',
  'format',
  '$schema',
  'required',
  'type',
  'properties',
  '$ref',
]

test.each([
  ['zod 4', z.object(Object.fromEntries(keywords.map((name) => [name, z.string()])))],
  ['zod 3', z3.z.object(Object.fromEntries(keywords.map((name) => [name, z3.z.string()])))],
])('%s: a parameter may have the name of a keyword', (_zod, schema) => {
  const { properties, required } = shown(schema)
  expect(Object.keys(properties as object)).toEqual(keywords)
  expect(required).toEqual(keywords)
})

test('takes the draft 7 input of another Standard Schema, also of a function', () => {
  const asked: unknown[] = []
  const input = (options: unknown) => {
    asked.push(options)
    return { type: 'object', properties: { city: { type: 'string' } } }
  }
  const validate = (value: unknown) => ({ value })
  const standard = { version: 1, vendor: 'other', validate, jsonSchema: { input } } as const
  const expected = { type: 'object', properties: { city: { type: 'string' } }, required: [] }
  expect(shown({ '~standard': standard })).toEqual(expected)
  expect(shown(Object.assign(() => {}, { '~standard': standard }))).toEqual(expected)
  expect(asked).toEqual([{ target: 'draft-07' }, { target: 'draft-07' }])
})

test('keeps the description of a schema from another copy of zod', () => {
  const city = Object.defineProperty(mini.string(), 'description', { value: 'In English' })
  const known = mini.string().check(mini.describe('As it is known'))
  Object.defineProperty(known, 'description', { value: 'Otherwise' })
  expect(shown(mini.object({ city, known })).properties).toEqual({
    city: { type: 'string', description: 'In English' },
    known: { type: 'string', description: 'As it is known' },
  })
})

test('does not change when the source schema changes', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const parameters = shown(jsonSchema(schema))
  schema.properties.a.type = 'number'
  expect(parameters.properties).toEqual({ a: { type: 'string' } })
})
