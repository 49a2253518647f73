import { expect, test } from 'vitest'
import { schemaCost } from './schema.js'

test('a schema costs as much as it has parts', () => {
  expect(
    schemaCost({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }).parts,
  ).toBe(4)
})

test('a reference costs what it leads to, each time', () => {
  const $defs = { a: { enum: ['x'] } }
  expect(schemaCost({ $defs, anyOf: [{ $ref: '#/$defs/a' }] }).parts).toBe(8)
  expect(schemaCost({ $defs, anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] }).parts).toBe(11)
})

test('thirty parts that lead to each other twice cost more than anybody has', () => {
  const twice = (to: number) => ({ allOf: [{ $ref: `#/$defs/d${to}` }, { $ref: `#/$defs/d${to}` }] })
  const parts = Array.from({ length: 30 }, (_, at) => [`d${at}`, at === 29 ? {} : twice(at + 1)])
  expect(schemaCost({ $defs: Object.fromEntries(parts), ...twice(0) }).parts).toBeGreaterThan(2 ** 29)
})

test('what leads back is counted, also by a detour', () => {
  expect(schemaCost({ properties: { next: { $ref: '#' } } }).loops).toBe(1)
  expect(schemaCost({ allOf: [{ $ref: '#' }, { $ref: '#' }] }).loops).toBe(2)
  const detour = { $defs: { b: { $ref: '#' } }, allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }
  expect(schemaCost(detour).loops).toBe(3)
  expect(schemaCost({ properties: { a: {} } }).loops).toBe(0)
})

test('what holds itself is counted once, and a reference to nowhere not at all', () => {
  expect(schemaCost({ properties: { next: { $ref: '#' } } }).parts).toBeLessThan(10)
  expect(schemaCost({ $ref: '#/$defs/none/deeper' }).parts).toBe(1)
  expect(schemaCost({ $ref: 'https://example.com/schema' }).parts).toBe(1)
})
