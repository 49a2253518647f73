import { jsonSchema } from '@capstan/core'
import { expect, test } from 'vitest'
import { withoutPatterns } from './imported-schema.js'

const fits = async (schema: Record<string, unknown>, value: unknown) =>
  (await jsonSchema(withoutPatterns(schema))['~standard'].validate(value)).issues === undefined

test('regular expressions are removed, and properties with the same names stay', () => {
  const schema = {
    type: 'object',
    properties: { pattern: { type: 'string', pattern: '^(a+)+$' }, not: { type: 'number' } },
    required: ['pattern'],
  }
  expect(withoutPatterns(schema)).toEqual({
    type: 'object',
    properties: { pattern: { type: 'string' }, not: { type: 'number' } },
    required: ['pattern'],
  })
})

test('a name that every object inherits stays a name', () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string","pattern":"x"}}}')
  expect(JSON.stringify(withoutPatterns(schema))).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
  )
  expect(({} as { type?: unknown }).type).toBeUndefined()
})

// What fits a schema fits what is left of it: in each row the pattern takes part in what the other word means.
test.each([
  ['oneOf', { oneOf: [{ pattern: '^a' }, { pattern: '^b' }] }, 'a'],
  ['oneOf with allOf', { oneOf: [{ pattern: '^a' }, {}], allOf: [{ type: 'string' }] }, 'b'],
  ['not', { not: { pattern: '^a' } }, 'b'],
  ['if', JSON.parse('{"if":{"pattern":"^a"},"then":{"maxLength":2},"else":false}'), 'a'],
  ['patternProperties', { patternProperties: { '^x': {} }, additionalProperties: false }, { x1: 1 }],
  ['unevaluatedProperties', { patternProperties: { '^x': {} }, unevaluatedProperties: false }, { x1: 1 }],
  ['maxContains', { contains: { pattern: '^a' }, maxContains: 1 }, ['a', 'b']],
])('a value that matches with %s matches without patterns', async (_word, schema, value) => {
  expect((await jsonSchema(schema)['~standard'].validate(value)).issues).toBeUndefined()
  expect(await fits(schema, value)).toBe(true)
})

test('all other keywords are still validated', async () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer', minimum: 1 }, s: { oneOf: [{ const: 'a' }, { const: 'b' }] } },
    required: ['n'],
    additionalProperties: false,
  }
  expect(await fits(schema, { n: 1, s: 'a' })).toBe(true)
  for (const wrong of [{}, { n: 0 }, { n: 1, s: 'c' }, { n: 1, x: 1 }])
    expect(await fits(schema, wrong)).toBe(false)
})

test('expressions that the validator cannot parse are ignored', async () => {
  expect(await fits({ type: 'object', properties: { a: { pattern: '[\\w-.]+' } } }, { a: 'x' })).toBe(true)
})

test('drops every part that a reference could reach unchecked', () => {
  const schema = {
    $id: 'https://x.example/s',
    type: 'object',
    properties: {
      q: { $ref: '#/x' },
      r: { $anchor: 'a', type: 'string', contentSchema: { pattern: '^(a+)+$' } },
    },
    x: { type: 'string', pattern: '^(a+)+$' },
    xs: [{ pattern: '^(a+)+$' }],
    title: 'It',
    enum: [{ pattern: 'stays, as a value' }],
  }
  expect(withoutPatterns(schema)).toEqual({
    type: 'object',
    properties: { q: { $ref: '#/x' }, r: { type: 'string' } },
    title: 'It',
    enum: [{ pattern: 'stays, as a value' }],
  })
})
