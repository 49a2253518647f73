import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, test } from 'vitest'
import * as z from 'zod'
import * as mini from 'zod/mini'
import * as z3 from 'zod/v3'
import { CapstanError } from '../errors.js'
import { zod3 } from '../zod3.js'
import { jsonSchema } from './json-schema.js'
import { toParameters } from './to-json-schema.js'

const refusal = (schema: unknown): CapstanError => {
  try {
    toParameters((schema instanceof z3.ZodType ? zod3(schema) : schema) as StandardSchemaV1, 'a_tool')
  } catch (error) {
    if (error instanceof CapstanError) return error
    throw error
  }
  return expect.unreachable('the schema should be refused')
}

const beyondJson: readonly (readonly [type: string, zod4: z.ZodType, zod3: z3.ZodTypeAny | undefined])[] = [
  ['date', z.date(), z3.z.date()],
  ['bigint', z.bigint(), z3.z.bigint()],
  ['map', z.map(z.string(), z.string()), z3.z.map(z3.z.string(), z3.z.string())],
  ['set', z.set(z.string()), z3.z.set(z3.z.string())],
  ['symbol', z.symbol(), z3.z.symbol()],
  ['undefined', z.undefined(), z3.z.undefined()],
  ['void', z.void(), z3.z.void()],
  ['nan', z.nan(), z3.z.nan()],
  ['function', z.function() as unknown as z.ZodType, z3.z.function()],
  ['file', z.file(), undefined],
  ['custom', z.instanceof(Uint8Array), undefined],
]

test.each(beyondJson)(
  'rejects z.%s() with its place and an alternative, also with a description',
  (type, four, three) => {
    const expected = new RegExp(
      `^Parameters of tool "a_tool" cannot be converted to JSON Schema: at "list.items.it", z.${type}\\(\\) cannot be expressed in JSON; use .{5,}\\.$`,
    )
    for (const it of [four, four.describe('some words'), four.optional()]) {
      const error = refusal(z.object({ list: z.array(z.object({ it })) }))
      expect(error).toMatchObject({ code: 'invalid_tool', evidence: { tool: 'a_tool' } })
      expect(error.message).toMatch(expected)
    }
    for (const it of three ? [three, three.describe('some words'), three.optional()] : []) {
      expect(refusal(z3.z.object({ list: z3.z.array(z3.z.object({ it })) })).message).toMatch(expected)
    }
  },
)

test('reports the place in unions, records, tuples, zod mini, and parameters named like keywords', () => {
  const place = (schema: unknown) => /at "([^"]*)"/.exec(refusal(schema).message)?.[1]
  expect(place(z.object({ a: z.union([z.string(), z.date()]) }))).toBe('a.anyOf.1')
  expect(place(z.object({ a: z.record(z.string(), z.date()) }))).toBe('a.additionalProperties')
  expect(place(z.object({ a: z.tuple([z.string(), z.date()]) }))).toBe('a.items.1')
  expect(place(mini.object({ a: mini.date() }))).toBe('a')
  expect(place(z.object({ properties: z.object({ properties: z.date() }) }))).toBe('properties.properties')
  expect(place(z.date())).toBe('the root')
})

const literal = 'use a JSON value, or .optional()'
const fitting = 'use a JSON value, or omit it'

test.each([
  ['zod 4, a BigInt', z.literal(1n), `the literal (it is a BigInt) cannot be expressed in JSON; ${literal}`],
  [
    'zod 4, undefined',
    z.literal(undefined),
    `the literal (it is undefined) cannot be expressed in JSON; ${literal}`,
  ],
  ['zod 4, one of several', z.literal(['a', undefined]), 'the literal (it is undefined)'],
  ['zod 3, a BigInt', z3.z.literal(1n), 'the literal (it is a BigInt)'],
  ['zod 3, undefined', z3.z.literal(undefined), 'the literal (it is undefined)'],
  ['zod 3, a symbol', z3.z.literal(Symbol('s')), 'the literal (it is a symbol)'],
  [
    'zod 4, default',
    z.any().default(1n),
    `the default (it is a BigInt) cannot be expressed in JSON; ${fitting}`,
  ],
  ['zod 4, default, deep', z.any().default({ n: [1n] }), 'the default ("n.0" is a BigInt)'],
  ['zod 4, prefault', z.any().prefault(Number.NaN), 'the default (it is NaN)'],
  ['zod 4, a list of defaults', z.any().default(new Set([1])), 'the default (it is a Set)'],
  ['zod 4, catch', z.any().catch(1n), 'the default (it is a BigInt)'],
  ['zod 4, example', z.string().meta({ examples: [new Map()] }), 'an example ("0" is a Map)'],
  ['zod 3, default', z3.z.any().default(1n), 'the default (it is a BigInt)'],
  ['zod 3, default', z3.z.any().default(Number.NaN), 'the default (it is NaN)'],
])('rejects a value that JSON cannot hold with its place: %s', (_which, it, why) => {
  const four = it as z.ZodType
  const schema =
    it instanceof z3.ZodType ? z3.z.object({ list: z3.z.array(it) }) : z.object({ list: z.array(four) })
  const { code, message } = refusal(schema)
  expect(code).toBe('invalid_tool')
  expect(message).toContain(`cannot be converted to JSON Schema: at "list.items", ${why}`)
})

test('rejects a default of undefined, and keeps a default that JSON can hold', () => {
  expect(refusal(z.object({ a: z.any().default(undefined) })).message).toContain(
    'a default is undefined; omit it',
  )
  const at = z.coerce.date().default(new Date(0))
  const { properties } = toParameters(z.object({ at, empty: z.null().default(null) }), 'a_tool')
  expect(properties).toMatchObject({ at: { default: '1970-01-01T00:00:00.000Z' }, empty: { default: null } })
})

test('omits infinite limits of a number', () => {
  const all = z.number().min(Number.NEGATIVE_INFINITY).max(Number.POSITIVE_INFINITY)
  expect(toParameters(z.object({ all }), 'a_tool').properties).toEqual({ all: { type: 'number' } })
})

const a = z.object({ a: z.string() })
const a3 = z3.z.object({ a: z3.z.string() })

test.each([
  [z.union([a, a]), 'a union or have no type'],
  [a.nullable(), 'a union or have no type'],
  [z3.z.union([a3, a3]), 'a union or have no type'],
  [jsonSchema({}), 'a union or have no type'],
  [z.string(), 'of type "string"'],
  [z.array(a), 'of type "array"'],
  [z3.z.number(), 'of type "number"'],
  [jsonSchema({ type: ['object', 'null'] }), 'of type ["object","null"]'],
])('rejects a root that is not an object, and advises to wrap it (case %#)', (schema, what) => {
  expect(refusal(schema).message).toBe(
    `Parameters of tool "a_tool" cannot be converted to JSON Schema: they are ${what}, but a tool takes one object; wrap them: z.object({ value: ... }).`,
  )
})

const silent = { '~standard': { version: 1, vendor: 'other', validate: (value: unknown) => ({ value }) } }

test.each([silent, { type: 'object' }, undefined, null, 'object'])(
  'rejects a schema without a JSON Schema, with an alternative (case %#)',
  (schema) => {
    expect(refusal(schema).message).toBe(
      'Parameters of tool "a_tool" cannot be converted to JSON Schema: this schema exports no JSON Schema; use zod, or jsonSchema({ ... }).',
    )
  },
)

test('rejects a schema that cannot be serialized', () => {
  const circle: Record<string, unknown> = { type: 'object' }
  circle.default = circle
  const converted = { ...silent['~standard'], jsonSchema: { input: () => circle } }
  expect(refusal({ '~standard': converted }).message).toContain('"default" is circular')
  const nan = {
    ...silent['~standard'],
    jsonSchema: { input: () => ({ type: 'object', minProperties: Number.NaN }) },
  }
  expect(refusal({ '~standard': nan }).message).toContain('"minProperties" is NaN')
})

test('converts zod 4 schemas, for which zod-to-json-schema returns an empty one', () => {
  for (const schema of [
    a,
    a.optional(),
    a.readonly(),
    a.refine(() => true),
    mini.object({ a: mini.string() }),
  ]) {
    expect(toParameters(schema, 'a_tool')).toMatchObject({ properties: { a: { type: 'string' } } })
  }
})
