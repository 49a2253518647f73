import { zod3 } from '@capstan/core/zod3'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'
import { toParameters } from '../../../core/src/tools/to-json-schema.js'
import { schemaNodes } from './schema-walk.js'
import { zodNodes } from './zod-walk.js'

const four = z.object({
  address: z.object({ street: z.string().optional() }),
  tags: z.array(z.string().trim()),
  spot: z.tuple([z.number(), z.string()]),
  labels: z.record(z.string(), z.number()),
  'odd name': z.union([z.string().nullable(), z.array(z.boolean())]).default('x'),
})
const small = mini.object({
  address: mini.object({ street: mini.optional(mini.string()) }),
  tags: mini.array(mini.string().check(mini.trim())),
  spot: mini.tuple([mini.number(), mini.string()]),
  labels: mini.record(mini.string(), mini.number()),
  'odd name': mini._default(mini.union([mini.nullable(mini.string()), mini.array(mini.boolean())]), 'x'),
})
const three = z3.object({
  address: z3.object({ street: z3.string().optional() }),
  tags: z3.array(z3.string().trim()),
  spot: z3.tuple([z3.number(), z3.string()]),
  labels: z3.record(z3.number()),
  'odd name': z3.union([z3.string().nullable(), z3.array(z3.boolean())]).default('x'),
})

const places = [
  '',
  '["odd name"]',
  '["odd name"][]',
  'address',
  'address.street',
  'labels',
  'labels.*',
  'spot',
  'spot[0]',
  'spot[1]',
  'tags',
  'tags[]',
]

test.each([
  ['zod 4', four],
  ['zod mini', small],
  ['zod 3', three],
])('a schema of %s has the same paths as its JSON Schema', (_zod, schema) => {
  const pathsOf = (parts: readonly { path: string }[]) => [...new Set(parts.map(({ path }) => path))].sort()
  expect(pathsOf(zodNodes(schema))).toEqual(places)
  expect(pathsOf(schemaNodes(toParameters(zod3(schema), 'a_tool')))).toEqual(places)
})

test.each([
  ['zod 4', z.string(), z.preprocess((given) => given, z.string())],
  ['zod 3', z3.string(), z3.preprocess((given) => given, z3.string())],
])('%s: code before a schema and behind it is told apart', (_zod, text, preprocessed) => {
  const kindsOf = (schema: unknown) => zodNodes(schema).map(({ kind }) => kind)
  expect(kindsOf(preprocessed)).toEqual(['preprocess', 'string'])
  const transformed = (text as z.ZodString).transform(Number)
  expect(kindsOf(transformed)).toEqual(['transform', 'string'])
  expect(kindsOf(transformed.pipe(z.number() as never))).toEqual(['piped', 'transform', 'string'])
})

test('a value that is not a zod schema has no nodes', () => {
  for (const value of [undefined, null, 7, 'text', {}, [], () => {}, { _def: 7 }, { _zod: null }])
    expect(zodNodes(value)).toEqual([])
})
