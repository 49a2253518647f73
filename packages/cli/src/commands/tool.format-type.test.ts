import { expect, test } from 'vitest'
import { formatType } from './tool.js'

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', 1, null] }, '"a" | 1 | null'],
  [{ const: false }, 'false'],
  [{ type: 'array', items: { type: 'number' } }, 'list of number'],
  [{ type: 'array' }, 'list'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ oneOf: [{ type: 'string' }, { enum: [1] }] }, 'string | 1'],
  [{}, 'anything'],
])('formats %j as %s', (schema, text) => {
  expect(formatType(schema)).toBe(text)
})
