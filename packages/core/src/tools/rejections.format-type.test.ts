import { expect, test } from 'vitest'
import * as z from 'zod'
import { formatType } from './rejections.js'
import { toParameters } from './to-json-schema.js'

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
  [{ const: false }, 'false'],
  [{ type: 'array', items: { type: 'number' } }, 'number[]'],
  [{ type: 'array' }, 'any[]'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ oneOf: [{ type: 'string' }, { enum: [1] }] }, 'string | 1'],
  [{}, 'any'],
  [true, 'any'],
  [false, 'never'],
  [{ type: 'object' }, 'object'],
  [{ type: 'object', properties: {} }, '{}'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name]: number }'],
  [{ properties: { a: {}, 'b c': { type: 'string' } }, required: ['a'] }, '{ a: any, "b c"?: string }'],
  [{ type: ['object', 'null'], properties: { a: { type: 'integer' } } }, '{ a?: integer } | null'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
  [{ type: 'array', items: { allOf: [{ $ref: '#/a' }, { $ref: '#/b' }] } }, '(a & b)[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] }, '[string, integer]'],
  [{ type: 'array', items: [{ type: 'string' }] }, '[string]'],
  [{ allOf: [{ $ref: '#/$defs/Place' }, { type: 'object' }] }, 'Place & object'],
  [{ properties: { next: { $ref: '#' } } }, '{ next?: object }'],
])('formats %j as %s', (schema, text) => {
  expect(formatType(schema)).toBe(text)
})

test('formats tool parameters, with optional fields', () => {
  const days = z.int().min(1).default(1)
  const at = z.object({ latitude: z.number(), longitude: z.number() })
  const parameters = z.object({
    city: z.string(),
    at: z.nullable(at),
    tags: z.array(z.string()).optional(),
    days,
  })
  expect(formatType(toParameters(parameters, 'a_tool'))).toBe(
    '{ city: string, at: { latitude: number, longitude: number } | null, tags?: string[], days?: integer }',
  )
})

test('formats the beginning of a large schema', () => {
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`f${i}`, { type: 'string' }]))
  let deep: object = {}
  for (let i = 0; i < 10_000; i++) deep = { type: 'array', items: deep }
  expect(formatType(deep)).toMatch(/^\.\.\.(\[\]){100}$/)
  expect(formatType({ properties: fields }).length).toBe(2003)
})
