import { expect, test } from 'vitest'
import { findUnsupportedKeyword } from './unsupported-keyword.js'

test('finds unsupported keywords at any depth', () => {
  expect(
    findUnsupportedKeyword({ properties: { if: { type: 'string' } }, $defs: { a: { items: { not: {} } } } }),
  ).toBe('not')
  expect(findUnsupportedKeyword({ anyOf: [{ patternProperties: {} }] })).toBe('patternProperties')
  expect(
    findUnsupportedKeyword({
      type: 'object',
      properties: { name: { type: 'string', minLength: 2 } },
      required: ['name'],
      additionalProperties: false,
    }),
  ).toBeUndefined()
  expect(findUnsupportedKeyword({ pattern: '[' })).toBe('pattern')
})
