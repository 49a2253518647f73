import { type Schema, Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import { stateSchema } from '../features/resume/resume.js'
import { findViolation, ownKeywords, ownParameters, validate } from './validate.js'

const values = [
  ...[null, true, 0, 1, -2.5, '', 'a', 'ab', 'A1', '😀', [], [1], ['a', 2], [[], {}], {}, { a: 1 }],
  ...[{ a: 'a' }, { a: null, b: 2 }, { a: { a: 1 } }, { a: { a: 'a' } }],
]

test.each([
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map((type) => ({ type })),
  ...[{ type: ['string', 'null'] }, { const: 1 }, { enum: ['a', 1, null] }, { minimum: 1 }, { maximum: 0 }],
  ...[{ minLength: 1 }, { pattern: '^[a-z]' }, { required: ['a'] }, { items: { type: 'string' } }],
  ...[{ properties: { a: { type: 'integer' } } }, { additionalProperties: { type: 'string' } }],
  ...[{ properties: { a: {} }, additionalProperties: false }, { propertyNames: { const: 'a' } }],
  ...[{ anyOf: [{ type: 'string' }, { required: ['b'] }] }, { properties: { a: { $ref: '#' } }, minimum: 1 }],
])("agrees with the validator of users' schemas for %j", (schema: object) => {
  const whole = new Validator(schema as Schema, '2020-12', false)
  for (const value of values)
    expect([value, !findViolation(value, schema)]).toEqual([value, whole.validate(value).valid])
})

test("knows every keyword of Capstan's own schemas", () => {
  expect([...new Set(keywordsIn(stateSchema))].filter((keyword) => !(keyword in ownKeywords))).toEqual([])
})

function keywordsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([keyword, rule]) => [
    keyword,
    ...(keyword === 'properties' ? Object.values(rule).flatMap(keywordsIn) : []),
    ...(keyword === 'anyOf' ? rule.flatMap(keywordsIn) : []),
    ...(/^(items|additionalProperties|propertyNames)$/.test(keyword) ? keywordsIn(rule) : []),
  ])
}

const order = {
  type: 'object',
  properties: { items: { type: 'array', items: { properties: { count: { type: 'integer', minimum: 1 } } } } },
  required: ['items'],
  additionalProperties: false,
}

test.each([
  ['no order', [], 'does not fit type: "object"'],
  [{}, [], 'does not fit required: ["items"]'],
  [{ items: [{ count: 1 }, { count: 0 }] }, ['items', '1', 'count'], 'does not fit minimum: 1'],
  [{ items: [], more: 1 }, ['more'], 'is not allowed'],
])('reports path and reason for %j', (value, path, message) => {
  expect(findViolation(value, order)).toEqual({ path, message })
})

test('validates the parameters of built-in tools', async () => {
  const parameters = ownParameters(order)
  expect(await validate(parameters, { items: [] })).toEqual({ value: { items: [] } })
  expect(await validate(parameters, { items: [{ count: 0 }] })).toEqual({
    issues: ['items.0.count: does not fit minimum: 1 (given: 0)'],
  })
})
