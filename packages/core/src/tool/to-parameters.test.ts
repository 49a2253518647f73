import { Validator } from '@cfworker/json-schema'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod/v3'
import { jsonSchema } from './json-schema.js'
import { toParameters } from './to-parameters.js'

const shown = (schema: StandardSchemaV1) => toParameters(schema, 'a_tool')

test('there are always type, properties and required, and never the address of a draft', () => {
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
])('%s: what may be left out is not required, and descriptions are kept', (_zod, schema) => {
  expect(shown(schema)).toMatchObject({
    properties: { city: { type: 'string', description: 'In English' }, days: { type: 'number', default: 1 } },
    required: ['city'],
  })
})

test('the model is shown what it may send, not what comes of it', () => {
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

test('a format is shown without the pattern it stands for; a pattern of its own stays', () => {
  const { properties } = shown(
    z.object({
      mail: z.email(),
      when: z.iso.datetime(),
      code: z.string().regex(/^[A-Z]{3}$/),
      count: z.int().min(1),
    }),
  )
  expect(properties).toEqual({
    mail: { type: 'string', format: 'email' },
    when: { type: 'string', format: 'date-time' },
    code: { type: 'string', pattern: '^[A-Z]{3}$' },
    count: { type: 'integer', minimum: 1 },
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

interface Tree {
  name: string
  children: Tree[]
}
const tree4: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(tree4)) })
const tree3: z3.ZodType<Tree> = z3.z.object({
  name: z3.z.string(),
  children: z3.z.lazy(() => z3.z.array(tree3)),
})

test.each([
  ['zod 4, the root', tree4, (tree: Tree) => tree],
  ['zod 4, within', z.object({ tree: tree4 }), (tree: Tree) => ({ tree })],
  ['zod 3, the root', tree3, (tree: Tree) => tree],
  ['zod 3, within', z3.z.object({ tree: tree3 }), (tree: Tree) => ({ tree })],
])('a schema that holds itself is shown as deep as it goes: %s', (_which, schema, toArguments) => {
  const validator = new Validator(shown(schema), '7')
  const deep = (name: unknown) => ({
    name: 'a',
    children: [{ name: 'b', children: [{ name, children: [] }] }],
  })
  expect(validator.validate(toArguments(deep('c') as Tree)).valid).toBe(true)
  expect(validator.validate(toArguments(deep(1) as Tree)).valid).toBe(false)
})

test('a root with a name of its own is shown in place, and what refers to it still does', () => {
  const named: z.ZodType = z
    .object({ name: z.string(), next: z.lazy(() => named.optional()) })
    .meta({ id: 'Chain', title: 'A chain' })
  const parameters = shown(named)
  expect(parameters).toMatchObject({ type: 'object', title: 'A chain', required: ['name'] })
  expect(JSON.stringify(parameters)).not.toContain('Chain"')
  const validator = new Validator(parameters, '7')
  expect(validator.validate({ name: 'a', next: { name: 'b' } }).valid).toBe(true)
  expect(validator.validate({ name: 'a', next: { name: 1 } }).valid).toBe(false)
})

test('another Standard Schema, also one that is a function, is asked for its input in draft 7', () => {
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

test('what is shown does not change with the schema it came from', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const parameters = shown(jsonSchema(schema))
  schema.properties.a.type = 'number'
  expect(parameters.properties).toEqual({ a: { type: 'string' } })
})
