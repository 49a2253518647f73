import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../scripts/cases.mjs'
import { findSchemaViolation } from './json-schema.js'
import { fillFormat } from './typed/fill-schema.js'

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer', minimum: 0, exclusiveMaximum: 150 },
  },
  required: ['name'],
  additionalProperties: false,
}

test('accepts a valid value', () => {
  expect(findSchemaViolation({ name: 'Ada', age: 36 }, person)).toBeUndefined()
  expect(
    findSchemaViolation([1, 'x', null], { items: { type: ['number', 'string', 'null'] } }),
  ).toBeUndefined()
  expect(findSchemaViolation({ next: { next: {} } }, { properties: { next: { $ref: '#' } } })).toBeUndefined()
})

test.each<[string, unknown, Record<string, unknown>]>([
  ['the answer must have "name"', {}, person],
  ['the answer.name must have at least 2 characters', { name: 'A' }, person],
  ['the answer.age must be less than 150', { name: 'Ada', age: 150 }, person],
  ['the answer.age must be of type integer', { name: 'Ada', age: 1.5 }, person],
  ['the answer.x is not allowed', { name: 'Ada', x: 1 }, person],
  ['the answer[1] must be of type string', ['a', 1], { items: { type: 'string' } }],
  ['the answer must be one of ["a","b"]', 'c', { enum: ['a', 'b'] }],
  ['the answer must be "a"', 'c', { const: 'a' }],
  ['the answer must match ^a', 'c', { pattern: '^a' }],
  ['the answer must have at least 1 items', [], { minItems: 1 }],
  ['the answer must not repeat an item', [1, 1], { uniqueItems: true }],
  ['the answer must be a multiple of 5', 7, { multipleOf: 5 }],
  ['the answer must be of type string', 1, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['the answer must match exactly one of 2 schemas', 1, { oneOf: [{ type: 'number' }, { type: 'integer' }] }],
  ['the answer must be at least 3', 1, { allOf: [{ minimum: 3 }] }],
])('%s', (flaw, value, schema) => {
  expect(findSchemaViolation(value, schema)).toBe(flaw)
})

test('reports a recursive reference without an endless loop', () => {
  expect(findSchemaViolation(1, { $ref: '#' })).toContain('refers to itself')
  expect(findSchemaViolation(1, { anyOf: [{ $ref: '#' }, { $ref: '#' }] })).toContain('refers to itself')
})

const leaf = fc.constantFrom(
  { type: 'string' },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'email' },
  { type: 'integer', minimum: 2, maximum: 9 },
  { type: 'number' },
  { type: 'boolean' },
  { enum: ['red', 'green'] },
  { type: ['string', 'null'] },
  { type: 'array', items: { type: 'string' }, maxItems: 2 },
  { type: 'array', items: { type: 'number' }, minItems: 1 },
)
const names = fc.constantFrom(
  'title',
  'date',
  'email',
  'count',
  'color',
  'city',
  'tags',
  'from',
  'ok',
  'price',
)
const words =
  'Ann wants 5 red things in Oslo , not green , on Friday from ann@example.com " ( 7.5 and 3 or'.split(' ')

test('a filled format always fits its schema', () => {
  const schemas = fc.dictionary(names, leaf, { maxKeys: 5 }).map((properties) => {
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
  })
  const requests = fc.array(fc.constantFrom(...words), { maxLength: 15 }).map((list) => list.join(' '))
  fc.assert(
    fc.property(schemas, requests, (schema, text) => {
      const filled = fillFormat({ name: 'form', description: '', schema }, [{ role: 'user', text }])
      return (
        'flaw' in filled ||
        findSchemaViolation(JSON.parse(JSON.stringify(filled.value)), schema) === undefined
      )
    }),
    { numRuns: cases(200) },
  )
})
