import { type Schema, Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { cases } from '../../../scripts/cases.mjs'
import { findViolation } from './violations.js'

const isValid = (value: unknown, schema: object) =>
  new Validator(structuredClone(schema) as Schema, '2020-12', false).validate(value).valid

const values = [
  ...[null, true, 0, 1, -2.5, 6, '', 'a', 'ab', 'A1', '😀', [], [1], [1, 1], ['a', 2], [[], {}], [{}, {}]],
  ...[{}, { a: 1 }, { a: 'a' }, { a: null, b: 2 }, { b: [] }, { x_a: 1 }, { a: { a: 1 } }, { a: { a: 'a' } }],
]

const leaves: readonly (object | boolean)[] = [
  ...[true, false, {}],
  ...['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map((type) => ({ type })),
  ...[{ type: ['string', 'null'] }, { const: 1 }, { const: { a: 1 } }, { enum: ['a', [1], null] }],
  ...[{ minimum: 1 }, { maximum: 1 }, { exclusiveMinimum: 1 }, { exclusiveMaximum: 1 }, { multipleOf: 3 }],
  ...[{ minLength: 1 }, { maxLength: 1 }, { pattern: '^[a-z]' }, { minItems: 2 }, { maxItems: 1 }],
  ...[{ uniqueItems: true }, { minProperties: 1 }, { maxProperties: 1 }, { required: ['a'] }],
  ...[{ dependentRequired: { a: ['b'] } }, { title: 'x', description: 'y', 'x-more': 1 }],
]

const { schema: schemas } = fc.letrec<{ schema: object | boolean }>((tie) => {
  const one = tie('schema')
  const some = fc.array(one, { minLength: 1, maxLength: 3 })
  const named = fc.dictionary(fc.constantFrom('a', 'b'), one, { maxKeys: 2 })
  const keywords = {
    properties: named,
    additionalProperties: one,
    propertyNames: one,
    patternProperties: fc.dictionary(fc.constantFrom('^x_', 'a'), one, { maxKeys: 2 }),
    dependentSchemas: named,
    items: one,
    prefixItems: some,
    allOf: some,
    anyOf: some,
    oneOf: some,
    not: one,
    if: one,
    // biome-ignore lint/suspicious/noThenProperty: the keyword is called so.
    then: one,
    else: one,
    $ref: fc.constant('#/$defs/named'),
  }
  const single = Object.entries(keywords).map(([name, rule]) => fc.record({ [name]: rule }))
  const several = fc.array(fc.oneof(...single), { minLength: 1, maxLength: 4 })
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...leaves),
      several.map((all) => Object.assign({}, ...all)),
    ),
  }
})

test("agrees with the validator of users' schemas", () => {
  fc.assert(
    fc.property(schemas, fc.constantFrom(...leaves), (schema, named) => {
      const whole = { allOf: [schema], $defs: { named } }
      for (const value of values)
        expect([value, !findViolation(value, whole)]).toEqual([value, isValid(value, whole)])
    }),
    { numRuns: cases(200) },
  )
})

test.each([
  { prefixItems: [{}], unevaluatedItems: false },
  { items: [{ type: 'integer' }], additionalItems: { type: 'string' } },
  { properties: { a: {} }, patternProperties: { '^x_': {} }, unevaluatedProperties: false },
  { properties: { a: { $ref: '#' } }, required: ['a'] },
])('agrees with the validator for %j', (schema) => {
  for (const value of values)
    expect([value, !findViolation(value, schema)]).toEqual([value, isValid(value, schema)])
})

test.each([
  { contains: {} },
  { dependencies: {} },
  { $dynamicRef: '#' },
  { $ref: '#name' },
  { $ref: 'https://elsewhere.test/' },
  { $ref: '#/$defs/nope' },
])('an unsupported keyword fits nothing: %j', (schema) => {
  expect(findViolation([1], schema)).toBeDefined()
})

test('compares values with any field names', () => {
  const one = JSON.parse('{"a":{"toString":1,"__proto__":2},"b":0}')
  expect(findViolation(one, { const: { b: 0, ...one } })).toBeUndefined()
  expect(findViolation(one, { enum: ['a', { ...one, b: 1 }] })).toBeDefined()
  expect(findViolation({ a: [1, 2], 'a,1': 2 }, { const: { 'a,1': 2, a: [1, 2] } })).toBeUndefined()
})
